"""The size of an answer that lists its items or only counts them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from provhouse.model.answer import Answer


@dataclass(frozen=True)
class AnswerSize:
    """The size of an answer in items, tables, triples and hops."""

    items: int
    tables: int
    """The number of tables that items belong to; 0 if no item has a table."""
    triples: int
    hops: int
    """The number of hops to the farthest item; 0 if there are no items."""


def answer_size(answer: "Answer") -> AnswerSize:
    """Return the size of an answer, from its rows or from its counts."""
    if answer.counts is None:
        items, triples = answer.items, answer.triples
        hops = (
            items["depth"][-1].as_py() or 0 if items.num_rows else 0
        )  # items are in order of depth
        names = items["table"].unique().to_pylist()
        return AnswerSize(items.num_rows, sum(map(bool, names)), triples.num_rows, hops)
    tables = answer.counts.tables.to_pylist()
    return AnswerSize(
        items=sum(row["items"] for row in tables),
        tables=sum(bool(row["table"]) for row in tables),
        triples=sum(answer.counts.ops["triples"].to_pylist()),
        hops=max((row["farthest"] for row in tables), default=0),
    )
