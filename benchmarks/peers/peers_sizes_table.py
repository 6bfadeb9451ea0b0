"""Turn results of `peers.py` on several sizes into Markdown tables that show how costs grow."""

from collections.abc import Callable, Iterable, Sequence

from benchmarks.peers.peers_form import Compared, ContenderFigures, Results
from benchmarks.peers.peers_table import costs, short_duration
from benchmarks.shared.markup import WORDS, Row, cores, grid

Shown = Callable[[Compared, ContenderFigures], str]


def tables(results: Results) -> str:
    """Return a note, and tables in which each cell has a value for each number of copies.

    Returns an empty string if there is only one size.
    """
    if len(results) == 1:
        return ""
    runs = sorted(results.values(), key=lambda run: run["warehouse"]["triples"])
    parts = [note(runs), table(runs, "", {"load": cost(1), "memory": cost(2), "disk": cost(3)})]
    for direction, word in WORDS.items():
        names = [one["name"] for one in runs[0]["classes"] if one["direction"] == direction]
        columns = {name: typical(name, direction) for name in names}
        parts.append(table(runs, f"{word.capitalize()}, p50", columns))
    return "\n\n".join(parts)


def note(runs: Sequence[Compared]) -> str:
    """Return a sentence about the sizes and the machines."""
    sizes = " / ".join(f"{run['warehouse']['triples'] / 1e6:,.1f}M" for run in runs)
    machines = ", ".join(dict.fromkeys(cores(run["machine"]) for run in runs))
    return f"By size: each cell has the values for {sizes} triples, measured on {machines}."


def table(runs: Sequence[Compared], title: str, columns: dict[str, Shown]) -> str:
    """Return a table with a row for each contender that ran on several sizes."""
    contenders = dict.fromkeys(name for run in runs for name in run["contenders"])
    grown = [name for name in contenders if sum(map(bool, found(runs, name))) > 1]
    return grid((title, *columns), (row(runs, name, columns.values()) for name in grown))


def found(runs: Sequence[Compared], name: str) -> list[ContenderFigures | None]:
    """Return the figures of a contender by size."""
    return [run["contenders"].get(name) for run in runs]


def row(runs: Sequence[Compared], name: str, columns: Iterable[Shown]) -> Row:
    """Return the row of one contender."""
    found = [(run, run["contenders"].get(name)) for run in runs]
    cells = (
        " / ".join(of(run, each) if each else "not run" for run, each in found) for of in columns
    )
    return name, *cells


def cost(column: int) -> Shown:
    """Show one of the costs: 1 is load, 2 is memory, 3 is disk."""
    return lambda _, each: costs("", each)[column]


def typical(name: str, direction: str) -> Shown:
    """Show the median time of a class of questions."""

    def shown(run: Compared, each: ContenderFigures) -> str:
        for one, took in zip(run["classes"], each["took"], strict=True):
            if (one["name"], one["direction"]) == (name, direction):
                seconds = took["seconds"]
                return short_duration(seconds["p50"]) if seconds else f"over {run['limit']:g} s"
        return "not run"

    return shown
