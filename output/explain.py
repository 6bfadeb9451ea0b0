"""What a question would read, by each method, as a person reads it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from .escape import shown
from .table import grid, lasted, steps

if TYPE_CHECKING:
    from provhouse.query.cost import Estimate
    from provhouse.query.explain import Explanation

_NAMES = {"rq": "RQ", "ccprov": "CCProv", "csprov": "CSProv"}


def sections(explanation: "Explanation") -> Iterator[Text | Table]:
    """What to print, top to bottom."""
    what = "lineage" if explanation.direction == "upstream" else "impact"
    name = Text(shown(explanation.item), "bold")
    table = f" ({shown(explanation.table)})" if explanation.table else ""
    yield name.append(f"{table}: its {what} comes by {_NAMES[explanation.method]}.", "not bold")
    yield Text(f"{shown(explanation.why.rstrip('.'))}.\n")
    yield _methods(explanation)
    yield Text(
        "\nTimes are estimates for a process that is warm; RQ and CCProv first need a copy of all"
        f" triples. Found out in {steps(explanation.seconds)}, no triple was read."
        f" As of generation {explanation.generation}, {explanation.time}.",
        "dim",
    )


def _methods(explanation: "Explanation") -> Table:
    table = grid("method", right=("sets", "partitions", "triples", "levels", "time", "before that"))
    for estimate in explanation.methods:
        table.add_row(*_row(estimate))
    return table


def _row(estimate: "Estimate") -> Iterator[Text]:
    read = estimate.read
    yield Text(_NAMES[estimate.method])
    for count in (read.sets, read.partitions, read.triples, estimate.levels):
        yield Text(f"{count:,}" if count else "-")
    yield Text(lasted(estimate.seconds))
    yield Text(lasted(estimate.prepare) if estimate.prepare else "-")
