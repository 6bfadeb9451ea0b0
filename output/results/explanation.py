"""What a question would read, by each method."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..escape import shown
from ..layout import Section, grid, styled, subject
from ..phrases import duration, steps
from ..result import Csv, Json, Result, attributes, rounded
from .derivations import as_of_sentence

if TYPE_CHECKING:
    from rich.table import Table

    from provhouse.query.cost import Estimate
    from provhouse.query.explain import Explanation

_NAMES = {"rq": "RQ", "ccprov": "CCProv", "csprov": "CSProv"}


@dataclass(frozen=True)
class ExplanationResult(Result):
    """The methods beside each other, and which one would be taken."""

    explanation: "Explanation"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """The method that would be taken and why, then all of them."""
        explanation = self.explanation
        what = "lineage" if explanation.direction == "upstream" else "impact"
        table = f" ({shown(explanation.table)})" if explanation.table else ""
        method = _NAMES[explanation.method]
        yield subject(explanation.item, f"{table}: its {what} comes by {method}.")
        yield styled(f"{shown(explanation.why.rstrip('.'))}.\n")
        yield _methods(explanation)
        yield styled(
            "\nTimes are estimates for a process that is warm; RQ and CCProv first need a copy of"
            f" all triples. Found out in {steps(explanation.seconds)}, no triple was read."
            f" {as_of_sentence(explanation)}",
            "dim",
        )

    def json(self) -> Iterator[Json]:
        """One object; see ``schemas/explanation.json``."""
        names = ("item", "direction", "method", "why", "generation", "time")
        yield {
            **attributes(self.explanation, *names),
            "methods": list(map(_estimate, self.explanation.methods)),
            "seconds": rounded(self.explanation.seconds),
        }

    def csv(self) -> Csv:
        """A row for each method, and which one would be taken."""
        names = ("method", "taken", "sets", "partitions", "triples", "levels", "seconds", "prepare")
        return names, (
            (one.method, one.method == self.explanation.method, *asdict(one.read).values(),
             one.levels, one.seconds, one.prepare)
            for one in self.explanation.methods
        )  # fmt: skip


def _methods(explanation: "Explanation") -> "Table":
    table = grid("method", right=("sets", "partitions", "triples", "levels", "time", "before that"))
    for estimate in explanation.methods:
        table.add_row(*_row(estimate))
    return table


def _row(estimate: "Estimate") -> Iterator[str]:
    read = estimate.read
    yield _NAMES[estimate.method]
    for count in (read.sets, read.partitions, read.triples, estimate.levels):
        yield f"{count:,}" if count else "-"
    yield duration(estimate.seconds)
    yield duration(estimate.prepare) if estimate.prepare else "-"


def _estimate(estimate: "Estimate") -> Json:
    times = rounded({"seconds": estimate.seconds, "prepare": estimate.prepare})
    read = asdict(estimate.read)
    return {"method": estimate.method, **read, "levels": estimate.levels, **times}
