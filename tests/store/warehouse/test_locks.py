"""A writer whose lock file was removed makes no more changes, wherever it was suspended."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Timer
from time import monotonic

import pyarrow as pa
import pytest
from deltalake import DeltaTable

from provhouse.model import fault_points as faults
from provhouse.model.errors import Busy
from provhouse.store.tables.delta_recovery import has_uncommitted_rows, restore_tables
from provhouse.store.tables.delta_tables import append_rows
from provhouse.store.warehouse import commits, ids
from provhouse.store.warehouse.commits import Commit, Totals, generations, write_commit
from provhouse.store.warehouse.ids import Ids, read_ids, take_ids
from provhouse.store.warehouse.json_records import left_records
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import check_lock, locked

COMMIT = Commit(1, 5, "abc", "", (), {}, Totals())


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "warehouse")


def at(monkeypatch: pytest.MonkeyPatch, point: str, act: Callable[[], object]) -> None:
    """Run ``act`` at a point at which a writer could be suspended."""

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
    check_lock(layout)  # without a lock, there is nothing to check


def test_a_record_is_not_linked_without_the_lock(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No record appears if the lock file or the writer's temporary record has been removed."""

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
    """A suspended writer reserves no IDs if another writer has reserved IDs in the meantime."""

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
    """Rows are removed even if a power cut left their log entry incomplete or empty."""
    folder = layout.table(1, "merges")
    commit = Commit(
        1, 1, "", "", (), {"merges": append_rows(folder, "merges", [rows(1)], 1)}, Totals()
    )
    assert not has_uncommitted_rows(layout, commit)
    version = append_rows(folder, "merges", [rows(2)], 2)
    if left is not None:
        log = folder / "_delta_log" / f"{version:020d}.json"
        log.write_bytes(log.read_bytes()[: int(log.stat().st_size * left)])
    # an incomplete entry shows no rows
    assert has_uncommitted_rows(layout, commit) == (left is None)
    restore_tables(layout, 1, [commit])
    assert sorted(path.name for path in folder.glob("*.parquet")) == ["00000001.parquet"]
    assert DeltaTable(folder).to_pyarrow_table()["ingest"].to_pylist() == [1]
    # otherwise, every writer would check everything
    assert not has_uncommitted_rows(layout, commit)
    append_rows(folder, "merges", [rows(3)], 3)
    assert sorted(DeltaTable(folder).to_pyarrow_table()["ingest"].to_pylist()) == [1, 3]


@pytest.mark.parametrize("left", [None, 0, 1 / 2])
def test_uncommitted_rows_are_removed_after_a_checkpoint(
    layout: Layout, left: float | None
) -> None:
    """The log has a checkpoint of the uncommitted rows. A power cut may leave it incomplete."""
    folder = layout.table(1, "merges")
    for ingest in range(1, 10):
        version = append_rows(folder, "merges", [rows(ingest)], ingest)
    commit = Commit(1, 1, "", "", (), {"merges": version}, Totals())
    append_rows(folder, "merges", [rows(10)], 10)
    (checkpoint,) = (folder / "_delta_log").glob("*.checkpoint.parquet")
    assert checkpoint.name.startswith(f"{version + 1:020d}")
    if left is not None:
        checkpoint.write_bytes(checkpoint.read_bytes()[: int(checkpoint.stat().st_size * left)])
    restore_tables(layout, 1, [commit])
    assert not has_uncommitted_rows(layout, commit)
    append_rows(folder, "merges", [rows(11)], 11)
    found = DeltaTable(folder).to_pyarrow_table()["ingest"].to_pylist()
    assert sorted(found) == [*range(1, 10), 11]


def test_a_second_writer_waits_for_the_first(layout: Layout) -> None:
    """The first writer is another process, because a lock belongs to a process as a whole."""
    code = (
        "import pathlib, sys, time\n"
        "from provhouse.store.warehouse.layout import Layout\n"
        "from provhouse.store.warehouse.locks import locked\n"
        "with locked(Layout(pathlib.Path(sys.argv[1]))):\n"
        "    print('writing', flush=True); sys.stdin.readline()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(layout.root)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as first:  # fmt: skip
        assert first.stdout
        assert first.stdin
        assert first.stdout.readline() == "writing\n"
        began = monotonic()
        with pytest.raises(Busy, match="--wait SECONDS"), locked(layout, 0.3):
            pass
        assert monotonic() - began >= 0.3
        Timer(0.3, first.stdin.close).start()
        with locked(layout, 60):
            check_lock(layout)
