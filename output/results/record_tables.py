"""The records of an answer's items: the columns of their rows, as one table per source."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..escape import shown
from ..phrases import counted
from ..sections import Section, grid, headed, styled
from ..shown_result import Csv, Json, ShownResult, attributes

if TYPE_CHECKING:
    from provhouse.query.source_records import CapturedRecords, Record, TableRecords

SHOWN = 20
"""The maximum number of records per table that are printed for people."""
HEADER = ("item", "direction", "generation", "time", "complete", "truncated")
LOST = 5
"""The maximum number of files that are named in the text for people."""
_LONGEST = 40


@dataclass(frozen=True)
class RecordsResult(ShownResult):
    """Records by table, and the items without a record."""

    records: "CapturedRecords"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield the records of each table of the warehouse, and the items without a record."""
        answer = self.records.answer
        number = sum(len(each.records) for each in self.records.tables)
        of = counted(answer.items.num_rows, "item")
        yield styled(f"{shown(answer.item)}: {counted(number, 'record')} of {of}", "bold")
        for table in self.records.tables:
            yield from table_records(table)
        if self.records.more:
            more = counted(self.records.more, "more item")
            yield styled(f"\n{more} without their records: ask with --table or --depth", "yellow")

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/records.json`` describes it."""
        tables = []
        for table in self.records.tables:
            lost = [{"file": str(each.path), "state": each.state} for each in table.lost]
            tables.append({**table_object(table), "lost": lost})
        head = attributes(self.records.answer, *HEADER)
        yield {**head, "tables": tables, "more": self.records.more}

    def csv(self) -> Csv:
        """Return a row for each column of each record."""
        return csv_columns(self.records.tables)


def record_objects(records: "Sequence[Record]") -> list[Json]:
    """Return records as JSON objects."""
    return [
        {"item": each.item, "file": str(each.file), "values": plain(each.values)}
        for each in records
    ]


def table_object(table: "TableRecords") -> dict[str, object]:
    """Return the records of a table, and its items without a record, as a JSON object."""
    records = record_objects(table.records)
    return {"table": table.table, "records": records, "missing": list(table.missing)}


def csv_columns(tables: "Sequence[TableRecords]") -> Csv:
    """Return a row for each column of each record."""
    return ("item", "table", "column", "value"), (
        (each.item, table.table, column, plain(value))
        for table in tables
        for each in table.records
        for column, value in each.values.items()
    )


def table_records(table: "TableRecords") -> Iterator[Section]:
    """Yield the first records of a table, and the number of items without a record."""
    yield from record_table(table.table, table.records)
    if table.missing:
        yield styled(_missing(table), "yellow")


def record_table(name: str, records: "Sequence[Record]") -> Iterator[Section]:
    """Yield the first records of a table."""
    columns = list(dict.fromkeys(name for each in records for name in each.values))
    printed = grid("item", *columns)
    for each in records[:SHOWN]:
        cells = (_cell(each.values.get(name)) for name in columns)
        printed.add_row(styled(shown(each.item)), *map(styled, cells))
    if records:
        yield from headed(shown(name or "(no table)"), printed)
    else:
        yield styled(f"\n{shown(name or '(no table)')}", "bold underline")
    rest = len(records) - SHOWN
    if rest > 0:
        yield styled(f"{counted(rest, 'more record')}: use --format json", "dim")


def _missing(table: "TableRecords") -> str:
    what = f"No record of {counted(len(table.missing), 'item')}, such as {shown(table.missing[0])}."
    if not table.lost:
        return f"{what} No file that a captured job has read or written is known to have them."
    files = ", ".join(f"{shown(str(each.path))} ({each.state})" for each in table.lost[:LOST])
    more = f" and {len(table.lost) - LOST:,} more" if len(table.lost) > LOST else ""
    return f"{what} These files are not as the job left them: {files}{more}"


def _cell(value: object) -> str:
    return "" if value is None else shown(str(plain(value)), _LONGEST)


def plain(value: Any) -> Any:
    """Return a value as JSON. Values of types that JSON lacks become strings."""
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, bytes):
        return value.hex()
    if value is None or isinstance(value, bool | int | str):
        return value
    return value if isinstance(value, float) and math.isfinite(value) else str(value)
