"""The report of a blame contains the wrong rows, and each table's first records to blame."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from provhouse.output.results.blame import REPORTED, BlameResult
from provhouse.query.blamed import Blamed
from provhouse.query.source_records import Record, TableRecords

WRONG = Record("totals/ann", Path("f"), {"total": 9})


def orders(count: int) -> TableRecords:
    found = [Record(f"orders/{at}", Path("f"), {"price": at}) for at in range(count)]
    return TableRecords("orders", tuple(found), (), ())


def reported(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = report["blamed"]
    return found


def test_a_report_has_the_smallest_input_or_else_the_lineage() -> None:
    lineage = (orders(REPORTED + 5),)
    report = BlameResult(Blamed("totals", (WRONG,), False, lineage)).report()
    assert report["rows"] == [{"item": "totals/ann", "file": "f", "values": {"total": 9}}]
    assert report["smallest"] is False
    (table,) = reported(report)
    assert (table["table"], table["count"]) == ("orders", REPORTED + 5)
    assert [each["item"] for each in table["records"]] == [f"orders/{at}" for at in range(REPORTED)]
    found = Blamed("totals", (WRONG,), True, lineage, (orders(1),), runs=7)
    report = BlameResult(found).report()
    assert (report["smallest"], report["runs"], report["more"]) == (True, 7, True)
    (table,) = reported(report)
    assert table["count"] == 1
