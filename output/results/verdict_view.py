"""The verdict on two queries: whether they return the same rows, and rows that differ."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ..sections import Section, facts, styled
from ..shown_result import Csv, Json, ShownResult, one_row

if TYPE_CHECKING:
    from provhouse.equivalence.verdict import Verdict

SHOWN = 10
"""The maximum number of rows of each kind in the text for people."""


@dataclass(frozen=True)
class VerdictResult(ShownResult):
    """A verdict, its reason, the first operator that differs, and an example or a proof."""

    verdict: "Verdict"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield the verdict with its reason, and the rows of the example."""
        yield styled(f"{self.verdict.kind}: {self.verdict.reason}", "bold")
        yield facts(self._facts())

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/verdict.json`` describes it."""
        example, proof = self.verdict.example, self.verdict.proof
        yield {
            "verdict": self.verdict.kind,
            "reason": self.verdict.reason,
            "operator": self.verdict.operator,
            "example": example and _plain(asdict(example)),
            "proof": proof and _plain(asdict(proof)),
        }

    def csv(self) -> Csv:
        """Return one row; the example is JSON in a cell."""
        (found,) = self.json()
        return one_row(found)

    def _facts(self) -> Iterator[tuple[str, str]]:
        if self.verdict.operator:
            yield "first difference", self.verdict.operator
        if proof := self.verdict.proof:
            yield "steps of the solver", f"{proof.steps:,}"
            for each in proof.assumptions:
                yield "assumed", each
        if example := self.verdict.example:
            for table, rows in example.tables.items():
                yield f"table {table}", _listed(rows)
            yield "only the first gives", _listed(example.only_first)
            yield "only the second gives", _listed(example.only_second)


def _listed(rows: Sequence[Sequence[Any]]) -> str:
    shown = ", ".join(str(tuple(_plain(row))) for row in rows[:SHOWN])
    return shown + (", …" if len(rows) > SHOWN else "") if rows else "no rows"


def _plain(value: Any) -> Any:
    """Return a value as JSON, with strings in place of everything that JSON lacks."""
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value if value is None or isinstance(value, bool | int | str) else str(value)
