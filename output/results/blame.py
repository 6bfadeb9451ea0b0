"""The wrong rows of a table, and the records to blame."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..escape import shown
from ..phrases import counted
from ..sections import Section, styled
from ..shown_result import Csv, Json, ShownResult
from .record_tables import csv_columns, record_objects, record_table, table_object, table_records

if TYPE_CHECKING:
    from provhouse.query.blamed import Blamed

REPORTED = 200
"""The largest number of records of a table in a report."""


@dataclass(frozen=True)
class BlameResult(ShownResult):
    """The wrong rows, and the lineage and the smallest input of the first wrong row."""

    found: "Blamed"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a table of wrong rows, then the records to blame; without these, the lineage."""
        found = self.found
        more = " or more" if found.more else ""
        count = counted(len(found.rows), "wrong row")
        yield styled(f"{shown(found.table)}: {count}{more}", "bold")
        if not found.rows:
            return
        yield from record_table(found.table, found.rows)
        first = shown(found.rows[0].item)
        if found.smallest is None:
            yield styled(f"\nThe records that {first} was derived from:", "bold")
            for table in found.lineage:
                yield from table_records(table)
            return
        runs = counted(found.runs, "run")
        yield styled(f"\nThe smallest input with which {first} is wrong, after {runs}:", "bold")
        for table in found.smallest:
            yield from record_table(table.table, table.records)

    def json(self) -> Iterator[Json]:
        """Yield one object, as ``schemas/blame.json`` describes it."""
        found = self.found
        smallest = found.smallest
        yield {
            "table": found.table,
            "rows": record_objects(found.rows),
            "more": found.more,
            "lineage": [*map(table_object, found.lineage)],
            "smallest": None if smallest is None else [*map(table_object, smallest)],
            "runs": found.runs,
        }

    def report(self) -> Json:
        """Return the report for the page: the wrong rows, and the first records to blame."""
        found = self.found
        tables = found.lineage if found.smallest is None else found.smallest
        blamed = [
            {"table": each.table, "count": len(each.records),
             "records": record_objects(each.records[:REPORTED])}
            for each in tables
        ]  # fmt: skip
        smallest = found.smallest is not None
        return {"table": found.table, "rows": record_objects(found.rows), "more": found.more,
                "smallest": smallest, "runs": found.runs, "blamed": blamed}  # fmt: skip

    def csv(self) -> Csv:
        """Return a row for each column of each record to blame."""
        found = self.found
        return csv_columns(found.lineage if found.smallest is None else found.smallest)
