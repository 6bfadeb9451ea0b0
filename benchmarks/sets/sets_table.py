"""Turn the results of `sets.py` into Markdown tables and diagrams."""

from collections.abc import Iterator, Sequence

from benchmarks.sets.sets_form import (
    FOUND,
    NONE,
    PACKED,
    Cut,
    Group,
    MeasuredTrace,
    Picture,
    Reads,
    Results,
)
from benchmarks.shared.markup import bars, cores, grid
from benchmarks.shared.results import ResultsFile

RESULTS = ResultsFile[Results]("sets.json")
MOST_GROUPS = 10
"""The most groups of tables in a diagram. More groups would not show how a component is cut."""
HEAD = ("sets", "dependencies", "upstream", "downstream", "partitions, share", "time")


def tables(results: Results) -> str:
    """Return all tables, each after a line about its content, and a list of the targets."""
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
