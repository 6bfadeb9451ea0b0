"""Working folders follow what is published, and only whole changes are published."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.memory_objects import MemoryObjects
from helpers.overtaking import overtake
from provhouse.commit.recover import recover
from provhouse.model.errors import Busy, Damaged, UsageError
from provhouse.model.progress import Silent
from provhouse.runtime.remote import lease
from provhouse.runtime.remote.remote_manifest import FILES, MANIFESTS
from provhouse.runtime.storage import parquet_reader
from provhouse.store.warehouse.at_address import kept_files, objects_at, opened, up_to_date
from provhouse.store.warehouse.bases import bases
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import locked


@pytest.fixture
def objects() -> MemoryObjects:
    return MemoryObjects()


@contextmanager
def machine(
    objects: MemoryObjects, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """Use the working folder of a machine whose cache is in a folder."""
    with monkeypatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        with opened(objects) as root:
            yield root


def follow(root: Path) -> dict[str, str]:
    with up_to_date(root, Silent()) as folder:
        assert folder
        found = {path: (root / path).read_text() for path in kept_files(root)}
    return found


def write(root: Path, **files: str) -> None:
    with locked(Layout(root)):
        for name, text in files.items():
            path = root / "base-1" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)


def fail(root: Path) -> None:
    """Change each kind of file, then raise ZeroDivisionError."""
    with locked(Layout(root)):
        (root / "base-1" / "one").unlink()
        (root / "base-1" / "two").write_text("changed")
        (root / "base-1" / "three").write_text("new")
        raise ZeroDivisionError


def test_a_writer_killed_while_the_lock_is_shared_is_undone(
    objects: MemoryObjects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with machine(objects, tmp_path, monkeypatch) as root:
        write(root, one="1")
        overtake(root, monkeypatch)
        write(root, two="2")
        assert (root / "base-1" / "one").read_text() == "1"


def write_late(objects: MemoryObjects, root: Path, other: Path) -> None:
    """Write to ``root`` until the lease has ended and ``other`` was published."""
    with locked(Layout(root)):
        (root / "base-1" / "late").write_text("late")
        objects.clock += lease.SECONDS + 1
        write(other, two="2")


def test_a_change_reaches_other_machines_whole(
    objects: MemoryObjects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with machine(objects, tmp_path / "a", monkeypatch) as a:
        assert follow(a) == {}
        write(a, one="1", two="2")
        (a / "logs").mkdir()
        (a / "logs" / "x").write_text("of this machine")
    with machine(objects, tmp_path / "b", monkeypatch) as b:
        assert follow(b) == {"base-1/one": "1", "base-1/two": "2"}
        write(b, two="22", three="3")
    with machine(objects, tmp_path / "a", monkeypatch) as a:
        assert follow(a) == {"base-1/one": "1", "base-1/two": "22", "base-1/three": "3"}
        assert (a / "logs" / "x").exists()
    contents = {content for key, (content, _) in objects.held.items() if key.startswith(FILES)}
    assert contents == {b"1", b"22", b"3"}  # the replaced 2 was deleted
    assert len([key for key in objects.held if key.startswith(MANIFESTS)]) == 1


def test_a_failed_change_is_undone(
    objects: MemoryObjects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with machine(objects, tmp_path, monkeypatch) as root:
        write(root, one="1", two="2")
        before = dict(objects.held)
        with pytest.raises(ZeroDivisionError):
            fail(root)
        assert [(root / path).read_text() for path in sorted(kept_files(root))] == ["1", "2"]
        assert follow(root) == {"base-1/one": "1", "base-1/two": "2"}
        with up_to_date(root, Silent()) as folder:
            assert folder
            assert folder.state.unsure  # Neo4j may have what was undone
        write(root, four="4")  # the lease was given back
    gone = [key for key in before if key not in objects.held]
    assert [key.partition("/")[0] for key in gone] == ["manifests"]


def fail_first(root: Path) -> None:
    with locked(Layout(root)):
        (root / "base-1" / "triples" / "_delta_log").mkdir(parents=True)
        (root / "base-1" / "triples" / ".aside-1.parquet").write_text("")
        (root / "base-1" / "one").write_text("1")
        (root / "logs").mkdir()
        raise ZeroDivisionError


def test_a_first_change_that_failed_leaves_no_base(
    objects: MemoryObjects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with machine(objects, tmp_path, monkeypatch) as root:
        with pytest.raises(ZeroDivisionError):
            fail_first(root)
        assert bases(Layout(root)) == []
        assert (root / "logs").is_dir()  # it belongs to this machine
        with locked(Layout(root)):
            recover(Layout(root))
        write(root, one="1")
        assert bases(Layout(root)) == [1]


def test_a_killed_writer_is_undone_by_the_next_command(
    objects: MemoryObjects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with machine(objects, tmp_path, monkeypatch) as root:
        write(root, one="1")
    pid = os.fork()
    if not pid:
        with machine(objects, tmp_path, monkeypatch) as root, locked(Layout(root)):
            (root / "base-1" / "one").write_text("2")  # the same size
            os._exit(0)
    os.waitpid(pid, 0)
    with machine(objects, tmp_path, monkeypatch) as root:
        assert follow(root) == {"base-1/one": "1"}
        with up_to_date(root, Silent()) as folder:
            assert folder
            assert folder.state.unsure


def test_a_late_writer_changes_nothing_and_leaves_nothing(
    objects: MemoryObjects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as stack:
        a = stack.enter_context(machine(objects, tmp_path / "a", monkeypatch))
        write(a, one="1")
        b = stack.enter_context(machine(objects, tmp_path / "b", monkeypatch))
        with pytest.raises(Busy, match="Nothing was published"):
            write_late(objects, a, b)
        assert follow(a) == {"base-1/one": "1", "base-1/two": "2"}
    assert not [key for key in objects.held if "late" in key]


def test_a_reader_that_an_other_writer_overtakes_starts_again(
    objects: MemoryObjects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with machine(objects, tmp_path / "a", monkeypatch) as a:
        write(a, one="1", two="2")
        download, times = objects.download, [0]

        def overtaken(key: str, file: Path) -> bool:
            times[0] += 1
            if times[0] == 1:
                write(a, one="11", two="22")
            return download(key, file)

        with machine(objects, tmp_path / "b", monkeypatch) as b:
            monkeypatch.setattr(objects, "download", overtaken)
            assert follow(b) == {"base-1/one": "11", "base-1/two": "22"}


@pytest.mark.parametrize("harm", ["lost", "changed"])
def test_damage_to_an_object_is_reported(
    objects: MemoryObjects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harm: str
) -> None:
    with machine(objects, tmp_path / "a", monkeypatch) as a:
        write(a, one="1")
    (key,) = (key for key in objects.held if key.startswith(FILES))
    if harm == "lost":
        objects.delete([key])
    else:
        objects.write(key, b"2")
    with machine(objects, tmp_path / "b", monkeypatch) as b, pytest.raises(Damaged):
        follow(b)


def test_an_erasure_of_another_machine_distrusts_neo4j(
    objects: MemoryObjects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_unsure(root: Path) -> bool:
        with up_to_date(root, Silent()) as folder:
            assert folder
            unsure = folder.state.unsure
            folder.graph_is_whole()
            return unsure

    with (
        machine(objects, tmp_path / "a", monkeypatch) as a,
        machine(objects, tmp_path / "b", monkeypatch) as b,
    ):
        write(a, one="a name", two="2")
        assert is_unsure(b)  # a new folder
        write(a, three="3")
        assert not is_unsure(b)
        write(a, one="......")
        assert is_unsure(b)
        assert (b / "base-1" / "one").read_text() == "......"


@pytest.mark.parametrize(
    "address", ["s3://", "s3:///x", "s3://b/x?y=1", "s3://b/x//y", "s3://[x/y"]
)
def test_an_unusable_address_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="Cannot use the address"):
        objects_at(address)


def lose(root: Path, *paths: str) -> None:
    """Write, while another program removes files."""
    with locked(Layout(root)):
        (root / "base-1" / "two").write_text("2")
        for path in paths:
            (root / path).unlink()


PARTITION = "base-1/triples/0000000001.parquet"


@pytest.mark.parametrize(
    "lost", [[PARTITION], ["warehouse.json"], ["commits/1.json", "commits/2.json"]]
)
def test_a_file_that_is_lost_during_a_write_stays_published(
    objects: MemoryObjects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: list[str]
) -> None:
    with machine(objects, tmp_path, monkeypatch) as root:
        with locked(Layout(root)):
            (root / PARTITION).parent.mkdir(parents=True)
            (root / "commits").mkdir()
            (root / PARTITION).write_text("1")
            (root / "warehouse.json").write_text("{}")
            for number in (1, 2):
                (root / "commits" / f"{number}.json").write_text('{"base": 1}')
        with pytest.raises(Damaged, match="disappeared while this command was writing"):
            lose(root, *lost)
        assert {*lost} < {*kept_files(root)}
        lose(root, "commits/1.json")  # as a prune does
        with locked(Layout(root)):
            (root / "base-2").mkdir()
            (root / "base-2" / "one").write_text("1")
            (root / "commits" / "2.json").write_text('{"base": 2}')
            (root / PARTITION).unlink()  # of a base that no record names
        assert PARTITION not in kept_files(root)


def write_partition(root: Path, *, triples: int, partition: int = 1) -> str:
    """Write a partition with numbers, and return its path."""
    path = f"base-1/triples/{partition:010d}.parquet"
    with locked(Layout(root)):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"src": range(triples)}), root / path)
    return path


def test_partitions_are_fetched_when_they_are_read(
    objects: MemoryObjects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with machine(objects, tmp_path / "a", monkeypatch) as a:
        path = write_partition(a, triples=3)
        other = write_partition(a, triples=4, partition=2)
        write(a, one="1")
        with machine(objects, tmp_path / "b", monkeypatch) as b:
            with up_to_date(b, Silent(), whole=False) as folder:
                assert folder
                folder.graph_is_whole()
            assert list(kept_files(b)) == ["base-1/one"]
            with parquet_reader(b / path) as file:
                assert file.metadata.num_rows == 3
            with up_to_date(b, Silent(), whole=False) as folder:
                assert folder is None  # what was read is trusted
            assert not (b / other).exists()
            write_partition(a, triples=5)  # as an erasure on another machine does
            with up_to_date(b, Silent(), whole=False):
                assert not (b / path).exists()
            with parquet_reader(b / path) as file:
                assert file.metadata.num_rows == 5
            with up_to_date(b, Silent()):
                assert (b / other).exists()  # of a command that needs everything


def test_a_writer_publishes_partitions_that_its_machine_had_not_fetched(
    objects: MemoryObjects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as stack:
        a = stack.enter_context(machine(objects, tmp_path / "a", monkeypatch))
        b = stack.enter_context(machine(objects, tmp_path / "b", monkeypatch))
        path = write_partition(a, triples=3)
        with up_to_date(b, Silent(), whole=False):
            assert not (b / path).exists()
        write(b, one="1")
        with up_to_date(a, Silent()):
            assert sorted(kept_files(a)) == ["base-1/one", path]


def test_a_partition_that_was_deleted_meanwhile_is_reported(
    objects: MemoryObjects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as stack:
        a = stack.enter_context(machine(objects, tmp_path / "a", monkeypatch))
        b = stack.enter_context(machine(objects, tmp_path / "b", monkeypatch))
        path = write_partition(a, triples=3)
        with up_to_date(b, Silent(), whole=False):
            pass
        write_partition(a, triples=4)
        with pytest.raises(Busy, match="was changed while it was read"):
            parquet_reader(b / path)


def test_a_working_folder_is_not_written_by_its_path(
    objects: MemoryObjects, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with machine(objects, tmp_path, monkeypatch) as root:
        write(root, one="1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(UsageError, match="Name the address"):
        write(root, two="2")
    (root / "base-1" / "two").write_text("2")  # by another program
    with machine(objects, tmp_path, monkeypatch) as root, up_to_date(root, Silent()) as folder:
        assert folder
        folder.graph_is_whole()
    (root / "base-1" / "two").write_text("2")
    with machine(objects, tmp_path, monkeypatch) as root:
        assert follow(root) == {"base-1/one": "1"}
