"""A writer whose lock file was removed changes nothing more, wherever it was suspended."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from provhouse.model import faults
from provhouse.model.errors import Busy
from provhouse.store.tables.delta import append_rows, has_uncommitted_rows, restore_tables
from provhouse.store.warehouse import commits, ids
from provhouse.store.warehouse.commits import Commit, Totals, generations, write_commit
from provhouse.store.warehouse.ids import Ids, read_ids, take_ids
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import check_lock, locked
from provhouse.store.warehouse.records import left_records

COMMIT = Commit(1, 5, "abc", "", (), {}, Totals())


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "warehouse")


def at(monkeypatch: pytest.MonkeyPatch, point: str, act: Callable[[], object]) -> None:
    """Run ``act`` at a point where a writer could be suspended."""

    def reach(name: str) -> None:
        if name == point:
            act()

    assert point in faults.POINTS
    for module in (commits, ids):
        monkeypatch.setattr(module, "reach", reach)


def test_a_writer_with_its_lock_may_write(layout: Layout) -> None:
    with locked(layout):
        check_lock(layout)
        take_ids(layout, Ids(item=7))
        write_commit(layout, COMMIT)
    assert read_ids(layout).item == 7
    assert generations(layout) == [5]
    assert left_records(layout.root) == left_records(layout.commits) == []


def test_a_replaced_lock_file_does_not_count_as_the_lock(layout: Layout) -> None:
    with locked(layout):
        layout.write_lock.unlink()
        with pytest.raises(Busy, match="was removed while"):
            check_lock(layout)
        layout.write_lock.touch()
        with pytest.raises(Busy, match="was removed while"):
            check_lock(layout)
    check_lock(layout)  # without a lock there is nothing to check


def test_a_record_is_not_linked_without_the_lock(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock file is removed, or the next writer has already removed the temporary record."""

    def removed() -> None:
        layout.write_lock.unlink()

    def cleaned_up() -> None:
        for file in left_records(layout.commits):
            file.unlink()

    for act in (removed, cleaned_up):
        with locked(layout):
            at(monkeypatch, "record aside", act)
            with pytest.raises(Busy):
                write_commit(layout, COMMIT)
        assert generations(layout) == []
        assert left_records(layout.commits) == []


@pytest.mark.parametrize("point", ["ids aside", "ids taken"])
def test_no_id_is_given_twice(layout: Layout, monkeypatch: pytest.MonkeyPatch, point: str) -> None:
    """Another writer takes ids and ends while this writer is suspended."""

    def other() -> None:
        layout.write_lock.unlink()
        layout.ids.write_text('{"item": 100}')

    with locked(layout):
        if point == "ids aside":
            at(monkeypatch, point, other)
        else:
            other()
        with pytest.raises(Busy):
            take_ids(layout, Ids(item=7))
    assert read_ids(layout).item == 100
    assert left_records(layout.root) == []


def rows(ingest: int) -> pa.Table:
    return pa.table({"component": [1], "into": [2], "ingest": pa.array([ingest], pa.int32())})


@pytest.mark.parametrize("left", [None, 0, 1 / 2])
def test_uncommitted_rows_are_removed(layout: Layout, left: float | None) -> None:
    """This holds even if a power cut left the entry in the table's log incomplete or empty."""
    folder = layout.table(1, "merges")
    commit = Commit(
        1, 1, "", "", (), {"merges": append_rows(folder, "merges", rows(1), 1)}, Totals()
    )
    assert not has_uncommitted_rows(layout, commit)
    version = append_rows(folder, "merges", rows(2), 2)
    if left is not None:
        log = folder / "_delta_log" / f"{version:020d}.json"
        log.write_bytes(log.read_bytes()[: int(log.stat().st_size * left)])
    assert has_uncommitted_rows(layout, commit) == (left is None)  # a torn entry shows no rows
    restore_tables(layout, 1, [commit])
    assert sorted(path.name for path in folder.glob("*.parquet")) == ["00000001.parquet"]
    assert DeltaTable(folder).to_pyarrow_table()["ingest"].to_pylist() == [1]
    assert not has_uncommitted_rows(layout, commit)  # else every writer would check everything
    append_rows(folder, "merges", rows(3), 3)
    assert sorted(DeltaTable(folder).to_pyarrow_table()["ingest"].to_pylist()) == [1, 3]
