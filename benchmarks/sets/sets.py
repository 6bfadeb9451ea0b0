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

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.dataset as ds

from benchmarks import ROOT
from benchmarks.sets.cuts import Large, found, large, packed, score
from benchmarks.sets.pictures import drawn
from benchmarks.sets.sets_form import (
    BY_HAND,
    FOUND,
    HAND_PACKED,
    NONE,
    PACKED,
    MeasuredTrace,
    Results,
)
from benchmarks.sets.sets_table import RESULTS
from benchmarks.shared.results import mean_load, packages, run
from benchmarks.traces.paper_report import THETA, hand_cut, weak
from benchmarks.traces.paper_trace import paper as paper_trace
from benchmarks.traces.shapes import SHAPES
from benchmarks.traces.trace_files import Trace
from provhouse.model.arrays import I32
from provhouse.model.columns import DST, DST_TABLE, SRC, SRC_TABLE
from provhouse.model.settings import Settings
from provhouse.sets.distinct import dense_values
from provhouse.sets.search import ENOUGH

SEED = 5
ASKED = 3_000
SHAPE_ITEMS, SHAPE_THETA = 100_000, 2_500
SAMPLE_THETAS = (10, 100)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="Measure how much questions read.")
    parser.add_argument("--flights", type=Path, default=ROOT / "demo-data" / "export")
    parser.add_argument("--samples", type=Path, help="a folder of other traces, as .csv.gz files")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    load = mean_load()
    of_shape("ladder", 2_000, 120)  # compiles kernels
    paper = of_paper()
    results: Results = {
        **run(load, packages("provhouse", "numpy", "numba")),
        "seed": SEED,
        "bars": targets(paper),
        "paper": paper,
        "flights": flights(given.flights),
        "shapes": [of_shape(name) for name in SHAPES],
        "samples": list(samples(given.samples)) if given.samples else [],
    }
    RESULTS.write(results, given.out)


def of_paper() -> MeasuredTrace:
    """Measure the paper's trace with the paper's splits, and with the sets that provhouse finds."""
    trace = paper_trace(SEED)
    graph, chosen = large(trace.src, trace.dst, trace.table, THETA)
    hand = hand_cut(trace, weak(len(trace.table), trace.src, trace.dst))[chosen]
    names = [trace.tables[table] for table in np.unique(trace.table[chosen])]
    return measured("paper", graph, THETA, dense_values(hand.astype(np.int32)), names)


def of_shape(name: str, items: int = SHAPE_ITEMS, theta: int = SHAPE_THETA) -> MeasuredTrace:
    """Measure the ingest's sets on the hard shape of this name."""
    trace = SHAPES[name](items, SEED)
    graph, _ = large(trace.src, trace.dst, tables(trace), theta)
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


def tables(trace: Trace) -> I32:
    """Return each item's table as an ingest sees it. All are 0 if the files do not name tables."""
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
