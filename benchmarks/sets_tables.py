"""The tables that tell what `sets.py` measured, as Markdown."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from mermaid import mermaid
from sets_form import FOUND, NONE, PACKED, SLOWLY, Cut, Measured, Read, Results, ratio

RESULTS = Path(__file__).parent / "results" / "sets.json"
HEAD = ("sets", "dependencies", "upstream", "downstream", "partitions, share", "time")


def read(path: Path = RESULTS) -> Results:
    """The results of the last run."""
    return cast(Results, json.loads(path.read_text(encoding="utf-8")))


def tables(results: Results) -> str:
    """All tables, each with a line that says what it shows."""
    return "\n\n".join(
        [
            _note(results),
            *_cuts("The paper's trace", results["paper"]),
            _wanted(results["bars"]),
            *(_cuts("The demo's flights", results["flights"]) if results["flights"] else []),
            _small(results),
            _shapes("Hard shapes", results["shapes"]),
            *([_shapes("Other traces", results["samples"])] if results["samples"] else []),
        ]
    )


def pictures(each: Measured) -> str:
    """The components of one trace as diagrams, and what questions read in all."""
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


def _note(results: Results) -> str:
    machine = results["machine"]
    return (
        f"Measured on {machine['cores']} cores ({machine['cpu']}), seed {results['seed']}. Reads"
        " are counted in triples: mean, median and 95th percentile. Partitions, and the share of"
        " the component's triples in them, are medians, upstream and downstream."
    )


def _cuts(title: str, each: Measured) -> Iterator[str]:
    yield (
        f"**{title}**: components of {each['theta']:,} items and more, together"
        f" {each['items']:,} items and {each['triples']:,} triples; {each['asked']:,} questions."
    )
    yield _table(("cut", *HEAD), [_row(name, cut) for name, cut in each["cuts"].items()])


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


def _spread(read: Read) -> str:
    return f"{read['mean']:,.0f}, {read['median']:,.0f}, {read['p95']:,.0f}"


def _opened(read: Read) -> str:
    return f"{read['partitions']:.0f}, {read['share']:.1%}"


def _wanted(bars: dict[str, bool]) -> str:
    return "\n".join(f"- {name}: {'yes' if kept else '**no**'}" for name, kept in bars.items())


def _small(results: Results) -> str:
    rows = [
        [
            each["name"],
            f"{each['items']:,}",
            *(_short(each["cuts"][name]) for name in (NONE, PACKED, SLOWLY)),
            f"{ratio(each):.2f}",
        ]
        for each in results["small"]
    ]
    head = ("shape", "items", "none", PACKED, SLOWLY, "times the slow search")
    first = results["small"][0]
    return (
        f"**Small hard shapes**, theta {first['theta']}, all items asked: what the cut reads, and"
        f" what `optimise.py` found; upstream mean, p95; downstream mean, p95.\n\n"
        f"{_table(head, rows)}"
    )


def _short(cut: Cut) -> str:
    return "; ".join(f"{way['mean']:,.0f}, {way['p95']:,.0f}" for way in (cut["up"], cut["down"]))


def _shapes(title: str, shapes: Sequence[Measured]) -> str:
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
    return f"**{title}**: upstream mean, p95; downstream mean, p95.\n\n{_table(head, rows)}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *rows))
