"""The result of ``explain``: the data that each method would read, and the time it would take."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..escape import shown
from ..phrases import duration, steps
from ..sections import Section, grid, styled, subject
from ..shown_result import Csv, Json, ShownResult, attributes, rounded
from .derivation_list import as_of_sentence

if TYPE_CHECKING:
    from rich.table import Table

    from provhouse.query.lineage.cost_estimates import Explanation
    from provhouse.query.reading.cost import Estimate

_SETS = 10
"""The largest number of sets whose ids are printed."""
_GUESS = (
    " The number of levels is a guess, from sets and tables, and mostly too low; with it, so are"
    " the times of RQ and CCProv."
)
_EXACTNESS = "The weakest exactness of an operation is {}; the answer says which is on its paths."
_NAMES = {"rq": "RQ", "ccprov": "CCProv", "csprov": "CSProv"}


@dataclass(frozen=True)
class ExplanationResult(ShownResult):
    """The estimates for all methods, and the method that would be used."""

    explanation: "Explanation"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield the method that would be used, the reason, and the estimates."""
        explanation = self.explanation
        what = "lineage" if explanation.direction == "upstream" else "impact"
        table = f" ({shown(explanation.table)})" if explanation.table else ""
        guess = _GUESS * any(one.guessed for one in explanation.methods)
        method = _NAMES[explanation.method]
        yield subject(explanation.item, f"{table}: its {what} would be found with {method}.")
        yield styled(f"{shown(explanation.why.rstrip('.'))}.\n")
        if explanation.exactness:
            yield styled(f"{_EXACTNESS.format(explanation.exactness)}\n", "yellow")
        yield _methods(explanation)
        yield styled(f"\n{_sets(explanation)}", "dim")
        yield styled(
            "\nTimes are estimates for a warm process; RQ and CCProv first prepare a copy of all"
            f" triples.{guess} Estimated in {steps(explanation.seconds)} without reading a triple."
            f" {as_of_sentence(explanation)}",
            "dim",
        )

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/explanation.json`` describes it."""
        names = ("item", "direction", "method", "why", "generation", "time")
        explanation = self.explanation
        exactness = {"exactness": explanation.exactness} if explanation.exactness else {}
        yield {
            **attributes(explanation, *names),
            **exactness,
            "set": self.explanation.set_id,
            "sets": list(self.explanation.sets),
            "methods": list(map(_estimate, self.explanation.methods)),
            "seconds": rounded(self.explanation.seconds),
        }

    def csv(self) -> Csv:
        """Return a row for each method; ``taken`` marks the method that would be used."""
        names = ("method", "taken", "sets", "partitions", "triples", "levels", "seconds", "prepare",
                 "levels_guessed")  # fmt: skip
        return names, (
            (one.method, one.method == self.explanation.method, *asdict(one.read).values(),
             one.levels, one.seconds, one.prepare, one.guessed)
            for one in self.explanation.methods
        )  # fmt: skip


def _methods(explanation: "Explanation") -> "Table":
    table = grid("method", right=("sets", "partitions", "triples", "levels", "time", "preparation"))
    for estimate in explanation.methods:
        table.add_row(*_row(estimate))
    return table


def _sets(explanation: "Explanation") -> str:
    """Return a sentence with the item's set and the first of the sets that CSProv would read."""
    sets = explanation.sets
    named = ", ".join(map(str, sets[:_SETS])) + (", …" if len(sets) > _SETS else "")
    own = explanation.set_id
    return f"The item is in set {own} (provhouse list set {own}). CSProv would read sets {named}."


def _row(estimate: "Estimate") -> Iterator[str]:
    read = estimate.read
    yield _NAMES[estimate.method]
    for count in (read.sets, read.partitions, read.triples):
        yield f"{count:,}" if count else "-"
    yield f"{estimate.levels:,}{'?' * estimate.guessed}" if estimate.levels else "-"
    yield duration(estimate.seconds)
    yield duration(estimate.prepare) if estimate.prepare else "-"


def _estimate(estimate: "Estimate") -> Json:
    times = rounded({"seconds": estimate.seconds, "prepare": estimate.prepare})
    read = asdict(estimate.read)
    levels = {"levels": estimate.levels, "levels_guessed": estimate.guessed}
    return {"method": estimate.method, **read, **levels, **times}
