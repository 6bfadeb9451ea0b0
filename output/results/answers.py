"""The result of a question about the lineage or impact of many items.

In JSON and CSV, each reply is written before the next one is computed.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..escape import shown
from ..sections import Section, grid, styled
from ..shown_result import Csv, Json, ShownResult
from .answer_size import answer_size
from .answer_view import COLUMNS, AnswerResult
from .derivation_list import STEPS

if TYPE_CHECKING:
    from rich.text import Text

    from provhouse.model.answer import Answer


@dataclass(frozen=True)
class Absent:
    """The reply for an item that is not in the warehouse."""

    item: str


@dataclass(frozen=True)
class AnswersResult(ShownResult):
    """The replies in the order of the questions. They can be read only once."""

    replies: "Iterable[Answer | Absent]"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a row for each item that was asked about, with exactness and samples, if any."""
        timed = STEPS if timing else STEPS[-1:]
        seconds = timed if timing else ("seconds",)
        rows = [(list(_row(reply, timed)), _exactness(reply)) for reply in self.replies]
        stated = any(exactness for _, exactness in rows)
        table = grid(
            "item",
            "table",
            right=("items", "tables", "triples", "hops", *seconds),
            after=("exactness",) if stated else (),
        )
        for row, exactness in rows:
            table.add_row(*row, *([styled(exactness, "yellow")] if stated else []))
        yield table

    def json(self) -> Iterator[Json]:
        """Yield an object for each item that was asked about."""
        for reply in self.replies:
            if isinstance(reply, Absent):
                yield {"item": reply.item, "found": False}
            else:
                yield from AnswerResult(reply).json()

    def csv(self) -> Csv:
        """Return the rows of each answer, with the item that was asked about in the first column.

        Items that were not found have no rows.
        """
        found = (reply for reply in self.replies if not isinstance(reply, Absent))
        first = next(found, None)
        if first is None:
            return ("asked", *COLUMNS), ()
        columns, rows = AnswerResult(first).csv()
        return ("asked", *columns), _rows(first.item, rows, found)


def _rows(
    item: str, rows: Iterable[Sequence[object]], others: "Iterator[Answer]"
) -> Iterator[Sequence[object]]:
    yield from ((item, *row) for row in rows)
    for answer in others:
        yield from ((answer.item, *row) for row in AnswerResult(answer).csv()[1])


def _row(reply: "Answer | Absent", timed: Sequence[str]) -> "Iterator[Text]":
    yield styled(shown(reply.item))
    if isinstance(reply, Absent):
        yield from (styled("not found", "red"), *[styled("-", "dim")] * (4 + len(timed)))
        return
    size = answer_size(reply)
    yield styled(shown(reply.table))
    for count in (size.items, size.tables, size.triples, size.hops):
        yield styled(f"{count:,}")
    for step in timed:
        yield styled(f"{reply.seconds.get(step, 0.0):.3f}")


def _exactness(reply: "Answer | Absent") -> str:
    if isinstance(reply, Absent):
        return ""
    return " ".join(filter(None, (reply.exactness, "(partial)" if reply.samples else "")))
