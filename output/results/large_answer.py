"""The result of a question with millions of rows, which are read while the answer is written.

The JSON is the same as for ``AnswerResult``, with the additional field ``order``.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..arrow_rows import json_items, json_triples, tuples
from ..phrases import counted
from ..sections import Section, subject
from ..shown_result import Csv, Json, JsonRows, ShownResult
from .answer_view import COLUMNS, AnswerResult, header
from .derivation_list import read_and_seconds

if TYPE_CHECKING:
    import pyarrow as pa

    from provhouse.model.answer import Answer, LargeAnswer


@dataclass(frozen=True)
class LargeAnswerResult(ShownResult):
    """An answer with its rows in the order in which they are found. It can be written only once."""

    answer: "LargeAnswer"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield the number of items."""
        answer = self.answer
        yield subject(answer.item, f" has {counted(answer.count, 'item')} {answer.direction}.")

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/answer.json`` describes it."""
        answer = self.answer
        rows = {
            "items": _each(json_items, answer.items),
            "triples": _each(json_triples, answer.triples),
        }
        sets: dict[str, object] = {"versions": list(answer.versions)} if answer.versions else {}
        if answer.sets:
            sets["set"] = answer.set_id
        yield {**header(answer), **sets, "order": "found", **rows, **read_and_seconds(answer)}

    def csv(self) -> Csv:
        """Return a row for each item."""
        columns = (*COLUMNS, "set") if self.answer.sets else COLUMNS
        return columns, (row for some in self.answer.items for row in tuples(some.select(columns)))


def answer_result(answer: "Answer | LargeAnswer") -> ShownResult:
    """Return an answer of any size as a result."""
    from provhouse.model.answer import LargeAnswer

    return LargeAnswerResult(answer) if isinstance(answer, LargeAnswer) else AnswerResult(answer)


def _each(written: Callable[["pa.Table"], JsonRows], tables: "Iterator[pa.Table]") -> JsonRows:
    """Return the rows of several tables as one JSON list."""

    def pieces(between: str) -> Iterator[str]:
        for table in tables:
            yield from written(table).pieces(between)

    return JsonRows(pieces)
