"""The result of a what-if question: the fates of items and changes of values."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..arrow_rows import json_rows, tuples
from ..escape import shown
from ..phrases import counted
from ..sections import Section, grid, headed, noted, styled
from ..shown_result import Csv, Json, ShownResult, attributes
from .derivation_list import erased_sentence, read_and_seconds, source_line, table_name, with_rows
from .exactness_notes import exactness_fields, exactness_notes
from .sample_notes import sample_fields, sample_notes

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table
    from rich.text import Text

    from provhouse.query.consequences.what_if import WhatIf

COUNTS = ("dies", "changed", "undecided", "survives")
COUNT_FIELDS = (
    "deleted", "deleted_triples", "dies", "survives", "undecided", "changed_items",
    "not_recomputed", "erased", "generation", "time", "complete",
)  # fmt: skip


@dataclass(frozen=True)
class WhatIfResult(ShownResult):
    """The consequences of a deletion for the items downstream."""

    found: "WhatIf"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline, counts by table, changed values, items, and the data read."""
        found = self.found
        yield styled(headline(found), "bold")
        yield from noted(notes(found))
        if found.tables.num_rows:
            yield from headed("By table", _by_table(found.tables))
        if found.changed.num_rows:
            yield from headed("Values that change", _changed(found.changed))
        if found.unknown.num_rows:
            yield from headed("Values that cannot be computed again", _unknown(found.unknown))
        gone = found.items.filter(_is_gone(found.items))
        if gone.num_rows:
            yield from headed("Items that die or are undecided", _gone(gone))
        yield source_line(found)

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/what-if.json`` describes it."""
        found = self.found
        yield {
            "delete": found.deletion.named,
            **attributes(found, *COUNT_FIELDS),
            **exactness_fields(found),
            **sample_fields(found),
            "tables": json_rows(found.tables),
            "may_create": json_rows(found.may_create),
            "changed": json_rows(found.changed),
            "unknown_values": json_rows(found.unknown),
            "items": json_rows(found.items),
            **read_and_seconds(found),
        }

    def csv(self) -> Csv:
        """Return a row for each item, or for each table if there are no items."""
        rows = self.found.items if self.found.items.num_rows else self.found.tables
        return rows.column_names, tuples(rows)


def headline(found: "WhatIf") -> str:
    """Return a sentence with the counts."""
    what = [counted(found.deleted, "item")] if found.deleted else []
    if found.deleted_triples or not what:
        what.append(counted(found.deleted_triples, "triple"))
    reached = found.dies + found.survives + found.undecided
    return (
        f"Without {' and '.join(what)}, of {counted(reached, 'item')} downstream {found.dies:,}"
        f" would not exist, {found.changed_items:,} would change, and {found.undecided:,}"
        " are undecided."
    )


def notes(found: "WhatIf") -> Iterator[str]:
    """Yield notes for people about the counts."""
    if found.undecided:
        yield (
            "Undecided: the triples do not say enough to know."
            " `provhouse list ops` lists the kinds that are known."
        )
    for row in found.may_create.to_pylist():
        lost = counted(row["inputs_lost"], "input")
        yield f"The op {shown(row['op'])} loses {lost}, so it may create items that are not stored."
    if found.not_recomputed:
        yield f"{counted(found.not_recomputed, 'item')} may have another value that is not known."
    if found.erased:
        yield erased_sentence(found.erased)
    yield from exactness_notes(found)
    yield from sample_notes(found)


def _is_gone(items: "pa.Table") -> "pa.ChunkedArray":
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.is_in(items["fate"], pa.array(["dies", "undecided"]))


def _by_table(tables: "pa.Table") -> "Table":
    return with_rows(
        grid("table", right=("die", "change", "undecided", "survive")),
        tables,
        lambda row: (table_name(row["table"]), *(f"{row[fate]:,}" for fate in COUNTS)),
    )


def _changed(rows: "pa.Table") -> "Table":
    return with_rows(
        grid("item", "op", "function", right=("before", "after", "inputs lost")),
        rows,
        lambda row: (
            *_item_and_op(row), row["function"],
            number(row["before"]), number(row["after"]), f"{row['inputs_lost']:,}",
        ),
    )  # fmt: skip


def _unknown(rows: "pa.Table") -> "Table":
    table = grid("item", "op", "because")
    return with_rows(table, rows, lambda row: (*_item_and_op(row), row["reason"]))


def _gone(rows: "pa.Table") -> "Table":
    return with_rows(
        grid("item", "table", "fate"),
        rows,
        lambda row: (styled(shown(row["item"])), table_name(row["table"]), row["fate"]),
    )


def _item_and_op(row: dict[str, Any]) -> "Iterator[Text]":
    return (styled(shown(row[name])) for name in ("item", "op"))


def number(value: float | None) -> str:
    """Return an aggregate's value as a string."""
    return "nothing" if value is None else f"{value:,.10g}"
