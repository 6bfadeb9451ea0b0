"""A result whose JSON and CSV are derived from the fields of the found object."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from provhouse.model.columns import TRIPLE
from provhouse.model.wire_names import wire_name

from ..arrow_rows import json_items, json_rows, json_triples, tuples
from ..escape import shown
from ..sections import Section, facts, grid, headed, noted, styled
from ..shown_result import Csv, Json, JsonRows, ShownResult, attributes, one_row, rounded
from .derivation_list import STEPS, source_line
from .exactness_notes import exactness_notes
from .sample_notes import sample_notes

if TYPE_CHECKING:
    import pyarrow as pa

    from provhouse.query.lineage.diff import Side

LATER = ("erased", "generation", "time", "complete", "exactness", "exactness_triples", "samples")
"""The fields that come after the result's own fields, in this order, and before tables."""
LAST = ("read", "seconds")
OPTIONAL = ("exactness", "exactness_triples", "samples")
"""The fields that JSON leaves out if they are empty."""
_PLAIN = (str, int, float, dict)


@dataclass(frozen=True)
class FoundResult(ShownResult):
    """A result with the fields of the found object. Subclasses define the text for people."""

    found: Any
    rows: str = ""
    """The name of the field whose rows CSV contains; if this is empty, CSV has one row."""
    columns: tuple[str, ...] = ()
    """The columns of CSV; if there are none, CSV has all columns of the rows, or all fields."""

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield the fields, the rows of CSV as a table, and the data read."""
        found = self.found
        own = [n for n in _in_order(found) if n not in (*LATER, *LAST, self.rows)]
        yield facts((wire_name(name), shown(str(getattr(found, name)))) for name in own)
        of_generation = hasattr(found, "read")
        if of_generation:
            yield from noted((*exactness_notes(found), *sample_notes(found)))
        columns, rows = self.csv()
        table = grid(*columns)
        for row in rows:
            table.add_row(*(styled(_cell(value)) for value in row))
        if table.row_count:
            yield from headed(self.rows.replace("_", " ").capitalize(), table)
        if of_generation:
            yield source_line(found)

    def json(self) -> Iterator[Json]:
        """Yield one object with the fields, as its schema describes it."""
        yield json_fields(self.found)

    def csv(self) -> Csv:
        """Return the rows of the field ``rows``, or a single row if no field is named."""
        if not self.rows:
            names = self.columns or _in_order(self.found)
            return one_row({name: _json(getattr(self.found, name)) for name in names})
        rows = getattr(self.found, self.rows)
        if _is_table(rows):
            columns = self.columns or rows.column_names
            return columns, tuples(rows.select(columns))
        kind, *_ = get_args(get_type_hints(type(self.found))[self.rows])
        names = [each.name for each in fields(kind)]
        return names, ([_json(getattr(row, name)) for name in names] for row in rows)


def json_fields(found: Any) -> dict[str, object]:
    """Return the fields of the found object, by their names in JSON."""
    values = {name: getattr(found, name) for name in _in_order(found)}
    if "read" in values:
        values["seconds"] = {step: found.seconds.get(step, 0.0) for step in STEPS}
    return {
        wire_name(name): rounded(value) if name == "seconds" else _json(value)
        for name, value in values.items()
        if value or name not in OPTIONAL
    }


def side_fields(side: "Side") -> Json:
    """Return the JSON fields of one of two compared generations."""
    first = attributes(side, "generation", "time")
    return {**first, "held": side.stored, "erased": side.erased, **json_fields(side)}


def _in_order(found: Any) -> list[str]:
    """Return the names of the fields in the order of JSON."""

    def place(name: str) -> tuple[int, int]:
        if name in LATER:
            return 1, LATER.index(name)
        if name in LAST:
            return 3, LAST.index(name)
        return (2 if _is_table(getattr(found, name)) else 0), 0

    return sorted(vars(found), key=place)


def _is_table(value: object) -> bool:
    return hasattr(value, "column_names")


def _json(value: Any) -> Any:
    if value is None or isinstance(value, _PLAIN):
        return value
    if _is_table(value):
        return _json_table(value)
    if hasattr(value, "stored"):
        return side_fields(value)
    if is_dataclass(value):
        return json_fields(value)
    if isinstance(value, tuple):
        return list(map(_json, value))
    return value


def _json_table(table: "pa.Table") -> JsonRows:
    if set(TRIPLE) <= set(table.column_names):
        return json_triples(table)
    return (json_items if "depth" in table.column_names else json_rows)(table)


def _cell(value: Any) -> str:
    return shown(", ".join(value) if isinstance(value, list) else str(value))
