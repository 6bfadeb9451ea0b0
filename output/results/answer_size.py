"""How much an answer shows, whether it lists it or counts it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from provhouse.model.answer import Answer


@dataclass(frozen=True)
class AnswerSize:
    """So many of each; ``tables`` does not count items without one."""

    items: int
    tables: int
    triples: int
    hops: int
    """To the last item; 0 where there is none."""


def answer_size(answer: "Answer") -> AnswerSize:
    """Of an answer's rows, or of its counts where those were asked for."""
    if answer.counts is None:
        items, triples = answer.items, answer.triples
        hops = items["depth"][-1].as_py() or 0 if items.num_rows else 0  # they are in order
        names = items["table"].unique().to_pylist()
        return AnswerSize(items.num_rows, sum(map(bool, names)), triples.num_rows, hops)
    tables = answer.counts.tables.to_pylist()
    return AnswerSize(
        items=sum(row["items"] for row in tables),
        tables=sum(bool(row["table"]) for row in tables),
        triples=sum(answer.counts.ops["triples"].to_pylist()),
        hops=max((row["farthest"] for row in tables), default=0),
    )
