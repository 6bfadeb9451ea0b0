"""Make tables in Markdown from the results of `components.py`."""

from collections.abc import Iterator

from benchmarks.ingest.components_form import OURS, ContenderTimes, Measurement, Results, times
from benchmarks.shared.markup import bars, cores, grid
from benchmarks.shared.results import ResultsFile

RESULTS = ResultsFile[Results]("components.json")
HEAD = ("", "graph", "components", "together", "times provhouse", "bytes an item")
TRACES = {
    "base": "The paper's trace, numbered in the order of its workflow",
    "renumbered": "The same trace, items numbered at random, as in an ingest",
    "shuffled": "The same trace, edges in random order as well",
}


def tables(results: Results) -> str:
    """Return a note on the runs, a table for each trace, and the targets."""
    return "\n\n".join(
        [
            note(results),
            *(part for trace in results["traces"] for part in table(trace)),
            bars(results["bars"]),
        ]
    )


def note(results: Results) -> str:
    """Return a note on the runs and the machine."""
    names = {name for trace in results["traces"] for name in trace["contenders"]}
    used = [f"{name} {number}" for name, number in results["versions"].items() if name in names]
    return (
        f"Medians of {results['repetitions']} runs, with the slowest in brackets; measured on"
        f" {cores(results['machine'])}, seed {results['seed']}, with"
        f" {', '.join(used)}."
    )


def table(trace: Measurement) -> Iterator[str]:
    """Yield the title of one trace, and the table of its contenders, fastest first."""
    copies = f"{trace['trace'].removeprefix('x')} copies of the paper's trace"
    yield (
        f"**{TRACES.get(trace['trace'], copies)}**: {trace['items']:,} items, {trace['edges']:,}"
        f" edges, {trace['components']:,} components."
    )
    succeeded = {name: each for name, each in trace["contenders"].items() if each}
    order = sorted(succeeded, key=lambda name: succeeded[name]["total"]["median"])
    rows: list[tuple[str, ...]] = [
        (name, *cells(succeeded[name]), ratio(trace, name), size(succeeded[name])) for name in order
    ]
    rows += [(name, "failed", *[""] * 4) for name in trace["contenders"] if name not in succeeded]
    yield grid(HEAD, rows)


def cells(each: ContenderTimes) -> tuple[str, str, str]:
    """Return the table cells with the times of one contender."""
    build, solve, total = (each["build"], each["solve"], each["total"])
    return (
        f"{build['median']:.2f} s",
        f"{solve['median']:.2f} s",
        f"{total['median']:.2f} s ({total['max']:.2f})",
    )


def ratio(trace: Measurement, name: str) -> str:
    """Return a contender's time as a multiple of provhouse's, or "" for provhouse itself."""
    return "" if name == OURS else f"{times(trace, name):.1f}"


def size(each: ContenderTimes) -> str:
    """Return the table cell with a contender's memory in bytes per item."""
    return f"{each['bytes_an_item']:,.1f}"
