"""The newest report of each kind of command is kept, and an erasure removes values from it."""

from pathlib import Path

from provhouse.store.warehouse import reports
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.reports import erase_reports, keep_report, read_reports


def test_the_newest_reports_of_each_kind_are_kept(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    assert read_reports(layout, "blame") == []
    for number in range(reports.KEPT + 2):
        keep_report(layout, "capture", {"number": number})
    keep_report(layout, "blame", {"value": 1.5, "path": tmp_path})
    numbers = [each["number"] for each in read_reports(layout, "capture")]
    assert numbers == [*range(reports.KEPT + 1, 1, -1)]
    (blame,) = read_reports(layout, "blame")
    assert (blame["value"], blame["path"]) == (1.5, str(tmp_path))
    assert {path.stat().st_mode & 0o777 for path in layout.reports.iterdir()} == {0o600}
    (layout.reports / "blame-2.json").write_text("{")
    assert [each["name"] for each in read_reports(layout, "blame")] == [blame["name"]]


def test_an_erasure_removes_reports_with_values(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    keep_report(layout, "blame", {"who": "ann"})
    keep_report(layout, "capture", {"run": "nightly"})
    (layout.reports / ".blame-1.json.0123abcd").write_text("ann")  # of a killed process
    erase_reports(layout)
    assert [path.name[:7] for path in layout.reports.iterdir()] == ["capture"]
    erase_reports(Layout(tmp_path / "no such folder"))


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "reports").write_text("a file")
    keep_report(Layout(tmp_path), "blame", {})
    assert read_reports(Layout(tmp_path), "blame") == []
