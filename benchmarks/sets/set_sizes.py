"""Measure how much questions read with the sets that an ingest finds: `make bench-sets`.

On the paper's trace, these sets are compared with the sets of the paper's splits. The demo's
flights and other traces are measured if they are available. Questions are about random items that
have a lineage, in both directions. Results go to `results/sets.json`.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter
from typing import TypedDict

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.dataset as ds

from benchmarks import ROOT
from benchmarks.sets.cuts import Cut, Large, Reads, found, large, packed, score
from benchmarks.sets.pictures import Group, Picture, drawn
from benchmarks.shared.markup import bars, cores, grid
from benchmarks.shared.results_file import ResultsFile, SeededRun, mean_load, packages, run
from benchmarks.traces.paper_report import THETA, hand_cut, weak
from benchmarks.traces.paper_trace import paper as paper_trace
from benchmarks.traces.shapes import SHAPES
from benchmarks.traces.trace_files import Trace
from provhouse.model.arrays import I32
from provhouse.model.columns import DST, DST_TABLE, SRC, SRC_TABLE
from provhouse.model.settings import Settings
from provhouse.sets.distinct import dense_values
from provhouse.sets.search import ENOUGH

NONE, FOUND, PACKED = "none", "found", "found, packed"
BY_HAND, HAND_PACKED = "by hand", "by hand, packed"
SEED = 5
ASKED = 3_000
SHAPE_ITEMS, SHAPE_THETA = 100_000, 2_500
SAMPLE_THETAS = (10, 100)


class MeasuredTrace(TypedDict):
    """The cuts of the large components of one trace. ``asked`` is the number of questions."""

    name: str
    items: int
    triples: int
    theta: int
    limit: int
    asked: int
    cuts: dict[str, Cut]
    pictures: list[Picture]


class Results(SeededRun):
    """The results of one run of `set_sizes.py`."""

    bars: dict[str, bool]
    paper: MeasuredTrace
    flights: MeasuredTrace | None
    shapes: list[MeasuredTrace]
    samples: list[MeasuredTrace]


RESULTS = ResultsFile[Results]("sets.json")
MOST_GROUPS = 10
"""The largest number of groups of tables in a diagram.

More groups would not show how a component is cut.
"""
HEAD = ("sets", "dependencies", "upstream", "downstream", "partitions, share", "time")


def tables(results: Results) -> str:
    """Return all tables, each preceded by a line about its content, and a list of the targets."""
    return "\n\n".join(
        [
            _note(results),
            *_cuts("The paper's trace", results["paper"]),
            bars(results["bars"]),
            *(_cuts("The demo's flights", results["flights"]) if results["flights"] else []),
            _shapes("Hard shapes", results["shapes"]),
            *([_shapes("Other traces", results["samples"])] if results["samples"] else []),
        ]
    )


def pictures(each: MeasuredTrace) -> str:
    """Return a note on what questions read, and a diagram of each component of one trace."""
    before, after = each["cuts"][NONE], each["cuts"][PACKED]
    parts = [
        (
            f"{each['asked']:,} random questions, on average: upstream an answer has"
            f" {before['up']['mean']:,.0f} triples and a question reads"
            f" {after['up']['mean']:,.0f}; downstream an answer has"
            f" {before['down']['mean']:,.0f} and a question reads"
            f" {after['down']['mean']:,.0f}. There are {after['sets']:,} sets"
            f" with {after['dependencies']:,} dependencies."
        )
    ]
    for picture in each["pictures"]:
        parts += [
            f"A component of {picture['items']:,} items and {picture['triples']:,} triples:",
            mermaid(picture),
        ]
    return "\n\n".join(parts)


def mermaid(picture: Picture) -> str:
    """Return a Mermaid diagram of the groups of tables, or a sentence if there are too many."""
    groups = picture["groups"]
    if len(groups) > MOST_GROUPS:
        sets, read, triples = (
            sum(group[what] for group in groups) for what in ("sets", "sets_read", "triples_read")
        )
        return (
            f"Blocks of items in an order, instead of groups of tables, make {sets:,} sets. A"
            f" question reads {read:,.1f} of these sets, {triples:,.0f} triples."
        )
    of = {table: number for number, group in enumerate(groups) for table in group["tables"]}
    pairs = sorted({(of[one], of[other]) for one, other in picture["derivations"]})
    return "\n".join(
        [
            "```mermaid",
            "flowchart LR",
            *(f'  g{number}["{_caption(group)}"]' for number, group in enumerate(groups)),
            *(f"  g{one} --> g{other}" for one, other in pairs if one != other),
            "```",
        ]
    )


def _caption(group: Group) -> str:
    tables = list(group["tables"])
    lines = [", ".join(tables[first : first + 4]) for first in range(0, len(tables), 4)]
    sets = f"{group['items']:,} items in {group['sets']:,} sets"
    read = (
        f"a question reads {group['sets_read']:,.1f} of these, {group['triples_read']:,.0f} triples"
    )
    return "<br/>".join([*(f"<b>{line}</b>" for line in lines), sets, read])


def _note(results: Results) -> str:
    return (
        f"Measured on {cores(results['machine'])}, seed {results['seed']}. Reads"
        " are counted in triples: mean, median and 95th percentile. Partitions, and the share of"
        " the component's triples in them, are medians, upstream and downstream."
    )


def _cuts(title: str, each: MeasuredTrace) -> Iterator[str]:
    yield (
        f"**{title}**: components of {each['theta']:,} items and more, together"
        f" {each['items']:,} items and {each['triples']:,} triples; {each['asked']:,} questions."
    )
    yield grid(("cut", *HEAD), [_row(name, cut) for name, cut in each["cuts"].items()])


def _row(name: str, cut: Cut) -> list[str]:
    return [
        name,
        f"{cut['sets']:,}",
        f"{cut['dependencies']:,}",
        _spread(cut["up"]),
        _spread(cut["down"]),
        f"{_opened(cut['up'])}; {_opened(cut['down'])}",
        "" if cut["seconds"] is None else f"{cut['seconds']:.1f} s",
    ]


def _spread(read: Reads) -> str:
    return f"{read['mean']:,.0f}, {read['median']:,.0f}, {read['p95']:,.0f}"


def _opened(read: Reads) -> str:
    return f"{read['partitions']:.0f}, {read['share']:.1%}"


def _short(cut: Cut) -> str:
    return "; ".join(f"{way['mean']:,.0f}, {way['p95']:,.0f}" for way in (cut["up"], cut["down"]))


def _shapes(title: str, shapes: Sequence[MeasuredTrace]) -> str:
    rows = [
        [
            each["name"],
            f"{each['theta']:,}",
            f"{each['items']:,}",
            f"{each['triples']:,}",
            f"{each['cuts'][PACKED]['sets']:,}",
            f"{each['cuts'][PACKED]['dependencies']:,}",
            *(_short(each["cuts"][name]) for name in (NONE, FOUND, PACKED)),
            f"{each['cuts'][PACKED]['seconds'] or 0:.1f} s",
        ]
        for each in shapes
    ]
    head = ("", "theta", "items", "triples", *HEAD[:2], NONE, FOUND, PACKED, "time")
    return f"**{title}**: upstream mean, p95; downstream mean, p95.\n\n{grid(head, rows)}"


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure how much questions read.")
    parser.add_argument("--samples", type=Path, help="a folder of other traces, as .csv.gz files")
    given = parser.parse_args()
    load = mean_load()
    of_shape("ladder", 2_000, 120)  # compiles kernels
    paper = of_paper()
    results: Results = {
        **run(load, packages("provhouse", "numpy", "numba")),
        "seed": SEED,
        "bars": targets(paper),
        "paper": paper,
        "flights": flights(ROOT / "demo-data" / "export"),
        "shapes": [of_shape(name) for name in SHAPES],
        "samples": list(samples(given.samples)) if given.samples else [],
    }
    RESULTS.write(results)


def of_paper() -> MeasuredTrace:
    """Measure the paper's trace with the paper's splits, and with the sets that provhouse finds."""
    trace = paper_trace(SEED)
    graph, chosen = large(trace.src, trace.dst, trace.table, THETA)
    hand = hand_cut(trace, weak(len(trace.table), trace.src, trace.dst))[chosen]
    names = [trace.tables[table] for table in np.unique(trace.table[chosen])]
    return measured("paper", graph, THETA, dense_values(hand.astype(np.int32)), names)


def of_shape(name: str, items: int = SHAPE_ITEMS, theta: int = SHAPE_THETA) -> MeasuredTrace:
    """Measure the sets that an ingest finds on the hard shape with this name."""
    trace = SHAPES[name](items, SEED)
    graph, _ = large(trace.src, trace.dst, tabled(trace), theta)
    return measured(name, graph, theta)


def targets(paper: MeasuredTrace) -> dict[str, bool]:
    """Return the targets for the cut of the paper's trace, and whether each was met."""
    hand, plain, packed = (paper["cuts"][name] for name in (BY_HAND, FOUND, PACKED))
    met = {
        f"{PACKED}: at most one set or dependency per {ENOUGH} items": ENOUGH
        * (packed["sets"] + packed["dependencies"])
        <= paper["items"],
    }
    for word, mine, by_hand, then, most in (
        ("upstream", plain["up"], hand["up"], packed["up"], 2),
        ("downstream", plain["down"], hand["down"], packed["down"], 1.5),
    ):
        for at, value, other, after in (
            ("mean", mine["mean"], by_hand["mean"], then["mean"]),
            ("p95", mine["p95"], by_hand["p95"], then["p95"]),
        ):
            met[f"{FOUND}: {at} {word} at most 1.3 times that by hand"] = value <= 1.3 * other
            met[f"{PACKED}: {at} {word} at most {most} times the unpacked"] = after <= most * value
        met[f"{PACKED}: at most 4 partitions {word} at the median"] = then["partitions"] <= 4
        met[f"{PACKED}: at most 5% of the component {word} at the median"] = then["share"] <= 0.05
    return met


def tabled(trace: Trace) -> I32:
    """Return the number of each item's table, as in an ingest; 0 if the files name no tables."""
    return trace.table if trace.tabled else np.zeros_like(trace.table)


def samples(folder: Path) -> Iterator[MeasuredTrace]:
    """Measure the traces in a folder, with thetas so small that most components are cut."""
    for path in sorted(folder.glob("*.csv.gz")):
        for theta in SAMPLE_THETAS:
            yield of_table(path.name.partition(".")[0], pa_csv.read_csv(path), theta)


def flights(folder: Path) -> MeasuredTrace | None:
    """Measure the demo's flights. Return None if the demo's warehouse was not exported."""
    files = sorted(map(str, folder.glob("triples-*.parquet")))
    if not files:
        made = f"provhouse --warehouse demo-warehouse export {folder}"
        print(f"Flights are not measured: `make demo`, then `{made}` makes their trace")
        return None
    triples = ds.dataset(files).to_table([SRC, DST, SRC_TABLE, DST_TABLE])
    return of_table("flights", triples, THETA, draw=True)


def of_table(name: str, triples: pa.Table, theta: int, draw: bool = False) -> MeasuredTrace:
    """Measure a trace, given as a table of triples with the names of items and their tables."""
    ends, tables = (
        pa.concat_arrays([triples[name].combine_chunks() for name in names]).dictionary_encode()
        for names in ((SRC, DST), (SRC_TABLE, DST_TABLE))
    )
    items = np.asarray(ends.indices)
    table = np.zeros(len(ends.dictionary), np.int32)
    table[items] = np.asarray(tables.indices.fill_null(0))
    src, dst = np.split(items.astype(np.int32), 2)
    graph, chosen = large(src, dst, table, theta)
    named = tables.dictionary.take(pa.array(np.unique(table[chosen]))).to_pylist()
    return measured(name, graph, theta, names=named if draw else ())


def measured(
    name: str,
    graph: Large,
    theta: int,
    hand: I32 | None = None,
    names: Sequence[str] = (),
) -> MeasuredTrace:
    """Cut these components in several ways, and compute how much questions read with each cut.

    Questions ask for random items with a lineage. If the names of tables are given, the result
    contains pictures.
    """
    limit = min(Settings().pack, theta - 1)
    asked = np.random.default_rng(SEED).choice(graph.derived(), ASKED)
    cuts = [score(graph, np.arange(graph.items, dtype=np.int32), asked, NONE)]
    if hand is not None:
        cuts.append(score(graph, hand, asked, BY_HAND))
        cuts.append(score(graph, packed(graph, hand, limit), asked, HAND_PACKED))
    label, seconds = found(graph, theta, limit)
    cuts.append(score(graph, label, asked, FOUND, seconds))
    begin = perf_counter()
    label = packed(graph, label, limit)
    cuts.append(score(graph, label, asked, PACKED, seconds + perf_counter() - begin))
    print(name, json.dumps(cuts), flush=True)
    return {
        "name": name,
        "items": graph.items,
        "triples": len(graph.src),
        "theta": theta,
        "limit": limit,
        "asked": len(asked),
        "cuts": {cut["cut"]: cut for cut in cuts},
        "pictures": list(drawn(graph, label, names, asked)) if names else [],
    }


if __name__ == "__main__":
    main()
