"""The aggregates of an item if one of its inputs were missing, for each input."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..arrow_rows import json_rows
from ..escape import shown
from ..phrases import counted
from ..sections import Section, grid, headed, noted, styled, subject
from ..shown_result import Json, attributes
from .derivation_list import erased_sentence, read_and_seconds, source_line, table_name, with_rows
from .found import FoundResult
from .sample_notes import sample_fields, sample_notes
from .what_if import number

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table
    from rich.text import Text

    from provhouse.query.consequences.what_if_each import WhatIfEach


@dataclass(frozen=True)
class WhatIfEachResult(FoundResult):
    """The aggregates of an item, and each aggregate's value without one of the inputs."""

    found: "WhatIfEach"
    rows: str = "inputs"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a headline, notes, the aggregates, their inputs, and the data read."""
        found = self.found
        aggregates = counted(found.values.num_rows, "aggregate")
        yield subject(found.item, f" has {aggregates} that could lose an input.")
        yield from noted(_notes(found))
        if found.values.num_rows:
            yield from headed("Values", _values(found.values))
        if found.inputs.num_rows:
            yield from headed("Without one input", _inputs(found.inputs))
        yield source_line(found)

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/what-if-each.json`` describes it."""
        found = self.found
        yield {
            **attributes(found, "item", "generation", "time", "complete", "cut", "erased"),
            **sample_fields(found),
            "values": json_rows(found.values),
            "inputs": json_rows(found.inputs),
            **read_and_seconds(found),
        }


def _notes(found: "WhatIfEach") -> Iterator[str]:
    for row in found.values.to_pylist():
        if row["reason"]:
            yield f"{shown(row['op'])} is not computed again: {row['reason']}."
    if found.cut:
        yield "Only the inputs with the largest changes are shown; for more use --limit."
    if found.erased:
        yield erased_sentence(found.erased)
    yield from sample_notes(found)


def _values(rows: "pa.Table") -> "Table":
    def cells(row: dict[str, Any]) -> "tuple[Text | str, ...]":
        now = "" if row["before"] is None else number(row["before"])
        return styled(shown(row["op"])), row["function"] or "", now, f"{row['inputs']:,}"

    return with_rows(grid("op", "function", right=("now", "inputs")), rows, cells)


def _inputs(rows: "pa.Table") -> "Table":
    def cells(row: dict[str, Any]) -> "tuple[Text | str, ...]":
        change = "" if row["change"] is None else f"{row['change']:+,.10g}"
        item, op = (styled(shown(row[name])) for name in ("item", "op"))
        return item, table_name(row["table"]), number(row["after"]), change, op

    table = grid("without", "table", right=("would be", "change"), after=("op",))
    return with_rows(table, rows, cells)
