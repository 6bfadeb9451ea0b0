"""The result of a question about the lineage or impact of one item."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from provhouse.model.errors import UsageError

from ..arrow_rows import tuples
from ..escape import shown
from ..sections import Section, headed, noted, styled
from ..shown_result import Csv, Json, attributes
from .answer_tables import by_column, by_distance, by_operation, by_table, counts_by_table, timed
from .answer_words import headline, how, notes
from .derivation_list import (
    MOST_ROWS,
    as_of_sentence,
    has_sets,
    read_and_seconds,
    row_lists,
    step_by_step,
)
from .exactness_notes import exactness_fields
from .graphs import GraphPart, PicturedResult, of_triples
from .sample_notes import sample_fields

if TYPE_CHECKING:
    from provhouse.model.answer import Answer, LargeAnswer
    from provhouse.pictures.picture_graph import DrawnGraph

COLUMNS = ("item", "table", "depth")


def header(answer: "Answer | LargeAnswer") -> dict[str, object]:
    """Return the JSON fields that every answer begins with."""
    return attributes(
        answer, "item", "direction", "method", "generation", "time", "complete", "truncated",
        "erased",
    )  # fmt: skip


def columns_of(answer: "Answer") -> tuple[str, ...]:
    """Return the columns of an answer's items, including ``set`` if the question requested it."""
    return (*COLUMNS, "set") if has_sets(answer) else COLUMNS


@dataclass(frozen=True)
class AnswerResult(PicturedResult):
    """An answer that lists its items and triples, or counts them."""

    answer: "Answer"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline, notes, counts by table and distance, and the method."""
        answer = self.answer
        yield headline(answer)
        yield from noted(notes(answer))
        if answer.columns:
            yield from headed(f"Columns that make {shown(str(answer.column))}", by_column(answer))
        if answer.counts and answer.counts.tables.num_rows:
            yield from headed("By table", counts_by_table(answer.counts.tables))
            yield from headed("By operation", by_operation(answer.counts.ops))
        if answer.items.num_rows:
            yield from _listed(answer)
        if timing:
            yield from headed("Time", timed(answer))
        yield styled(how(answer), "dim")

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/answer.json`` describes it."""
        answer = self.answer
        head = header(answer)
        if answer.versions:
            head["versions"] = list(answer.versions)
        head |= {**exactness_fields(answer), **sample_fields(answer)}
        if answer.column is not None:
            head["column"] = answer.column
            head["columns"] = [asdict(each) for each in answer.columns]
        if answer.missing_keys:
            head["missing_keys"] = asdict(answer.missing_keys)
        if has_sets(answer):
            head["set"] = answer.set_id
        if answer.counts:
            tables, ops = answer.counts.tables.to_pylist(), answer.counts.ops.to_pylist()
            yield {**head, "tables": tables, "ops": ops, **read_and_seconds(answer)}
        else:
            yield {**head, **row_lists(answer), **read_and_seconds(answer)}

    def csv(self) -> Csv:
        """Return a row for each item; if items are only counted, a row for each table and each op.

        CSV does not contain triples; JSON does.
        """
        if self.answer.counts:
            return ("kind", "name", "count"), _counts(self.answer)
        columns = columns_of(self.answer)
        return columns, tuples(self.answer.items.select(columns))

    def graph(self) -> "DrawnGraph":
        """Return the items and triples."""
        answer = self.answer
        if answer.counts:
            raise UsageError(
                "A summary has no picture",
                "It has counts instead of items",
                "Leave out --summary: large answers are grouped",
            )
        asked = dict.fromkeys(answer.versions or (answer.item,), answer.table)
        sentences = (*notes(answer), as_of_sentence(answer))
        title = headline(answer).plain
        return of_triples(title, sentences, [GraphPart(answer.items, answer.triples)], asked)


def _listed(answer: "Answer") -> Iterator[Section]:
    yield from headed("By table", by_table(answer))
    yield from headed("By distance", by_distance(answer))
    if 0 < answer.triples.num_rows <= MOST_ROWS:
        yield from headed("Step by step", step_by_step(answer.triples))
    if answer.items.num_rows > MOST_ROWS or answer.triples.num_rows > MOST_ROWS:
        yield styled(
            "\nFor all items use --format csv --out FILE, for all triples --format json", "dim"
        )


def _counts(answer: "Answer") -> Iterator[Sequence[object]]:
    assert answer.counts
    for table in tuples(answer.counts.tables.select(["table", "items"])):
        yield ("table", *table)
    for op in tuples(answer.counts.ops.select(["op", "triples"])):
        yield ("op", *op)
