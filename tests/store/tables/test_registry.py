"""A registered table keeps appended rows, and errors name its damaged files."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from deltalake import DeltaTable

from helpers.sampled import one_in
from provhouse.model.errors import Busy, Damaged
from provhouse.model.fault_points import VARIABLE, arm
from provhouse.store.tables.registry import (
    RegisteredTable,
    append,
    clear,
    read,
    remove_replaced,
    replace,
    state_of,
)
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import locked

TABLE = RegisteredTable(
    "things",
    "table of things",
    pa.schema(
        [
            ("number", pa.int64()),
            ("part", pa.float64()),
            ("text", pa.string()),
            ("yes", pa.bool_()),
            ("day", pa.date32()),
            ("time", pa.timestamp("us", "UTC")),
            ("list", pa.list_(pa.string())),
            ("pairs", pa.list_(pa.list_(pa.int64()))),
            ("record", pa.struct([("a", pa.string()), ("b", pa.list_(pa.int64()))])),
            ("bytes", pa.binary()),
        ]
    ),
    cleared=("text", "record"),
)
MAX = 2**63 - 1
APPEND = """
import sys, pyarrow as pa
from pathlib import Path
from provhouse.store.tables.registry import RegisteredTable, append
from provhouse.store.warehouse.layout import Layout
table = RegisteredTable("things", "table of things", pa.schema([("number", pa.int64())]))
for number in range(int(sys.argv[2]), int(sys.argv[3])):
    append(Layout(Path(sys.argv[1])), table, pa.table({"number": [number]}))
"""
NUMBERS = RegisteredTable("things", "table of things", pa.schema([("number", pa.int64())]))


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / "a wärehouse")


def rows(*numbers: int | None, **columns: Any) -> pa.Table:
    return pa.Table.from_pylist(
        [{"number": number, **columns} for number in numbers], schema=TABLE.schema
    )


def numbers(layout: Layout, table: RegisteredTable = TABLE) -> list[int]:
    found: list[int] = read(layout, table)["number"].to_pylist()
    return found


def folder(layout: Layout) -> Path:
    return layout.registered("things")


def logs(layout: Layout) -> list[Path]:
    return sorted((folder(layout) / "_delta_log").iterdir())


def delta_rows(layout: Layout, version: int | None = None) -> list[Any]:
    """Return the rows that Delta's own reader finds, by number."""
    found = DeltaTable(folder(layout), version=version).to_pyarrow_table().to_pylist()
    return sorted(found, key=lambda row: row["number"])


def appending(layout: Layout, first: int, after: int, fault: str = "") -> subprocess.Popen[bytes]:
    """Start a process that appends the numbers from ``first`` to ``after``, one by one."""
    arguments = [sys.executable, "-c", APPEND, str(layout.root), str(first), str(after)]
    return subprocess.Popen(arguments, env={**os.environ, VARIABLE: fault})


def test_values_of_every_type_are_kept(layout: Layout) -> None:
    every = [
        dict.fromkeys(TABLE.schema.names),
        {
            "number": -MAX - 1,
            "part": float("inf"),
            "text": "",
            "yes": False,
            "list": [],
            "pairs": [[], None, [1, None]],
            "record": {"a": None, "b": None},
            "bytes": b"",
        },
        {
            "number": MAX,
            "part": 0.1,
            "text": "a\0ü\n",
            "yes": True,
            "day": pa.scalar(-1, pa.date32()).as_py(),
            "time": pa.scalar(1, pa.timestamp("us", "UTC")).as_py(),
            "list": ["", None, "a"],
            "pairs": [],
            "record": {"a": "x", "b": [MAX]},
            "bytes": b"\0\xff",
        },
    ]
    added = pa.Table.from_pylist(every, schema=TABLE.schema)
    append(layout, TABLE, added)
    append(layout, TABLE, added)
    both = pa.concat_tables([added, added])
    assert read(layout, TABLE).equals(both)
    assert DeltaTable(folder(layout)).to_pyarrow_table().num_rows == 6
    assert read(layout, TABLE, ["list"]).to_pylist() == both.select(["list"]).to_pylist()
    assert read(layout, TABLE, where=pc.field("text") == "").num_rows == 2


def test_a_missing_table_is_empty(layout: Layout) -> None:
    assert read(layout, TABLE).equals(TABLE.schema.empty_table())
    assert state_of(layout, TABLE).version == -1
    append(layout, TABLE, rows())
    replace(layout, TABLE, pc.field("number") == 1)
    clear(layout, TABLE)
    assert remove_replaced(layout, TABLE) == 0
    assert not layout.root.exists()


@pytest.mark.long
def test_changes_are_those_of_a_list(layout: Layout) -> None:
    """Random changes give the rows of a Python list, in order, and so does Delta's reader."""
    random, expected = Random(5), list[int | None]()
    for _ in range(80):
        new = [random.choice([None, *range(20)]) for _ in range(random.randrange(4))]
        if random.random() < 0.7:
            append(layout, TABLE, rows(*new))
            expected += new
        else:
            gone = random.randrange(20)
            replace(layout, TABLE, pc.field("number") == gone, rows(*new))
            expected = [*(each for each in expected if each != gone), *new]
        if random.random() < 0.1:
            remove_replaced(layout, TABLE)
        assert numbers(layout) == expected
    found = state_of(layout, TABLE)
    other = DeltaTable(folder(layout))
    assert other.version() == found.version
    uris = {Path(uri).name for uri in other.file_uris()}
    assert uris == {file.path.name for file in found.files}
    assert len(uris) < 30
    assert sorted(map(str, expected)) == sorted(
        str(each) for each in other.to_pyarrow_table()["number"].to_pylist()
    )


def test_earlier_versions_stay_until_they_are_removed(layout: Layout) -> None:
    for number in range(20):
        append(layout, TABLE, rows(number))
    for version in (0, 7, 13):
        assert [row["number"] for row in delta_rows(layout, version)] == [*range(version + 1)]
    files = len([*folder(layout).glob("*.parquet")])
    assert remove_replaced(layout, TABLE) > 0
    assert len([*folder(layout).glob("*.parquet")]) < files
    assert numbers(layout) == [*range(20)]


def test_an_erasure_leaves_no_value_of_its_columns(layout: Layout) -> None:
    for number in range(12):
        append(layout, TABLE, rows(number, text=f"secret {number}", record={"a": "secret"}))
    clear(layout, TABLE)
    (left,) = {(row["text"], row["record"]) for row in read(layout, TABLE).to_pylist()}
    assert left == (None, None)
    assert numbers(layout) == [*range(12)]
    for path in folder(layout).rglob("*"):
        assert path.is_dir() or b"secret" not in path.read_bytes()
    version = DeltaTable(folder(layout)).version()
    clear(layout, TABLE)
    assert DeltaTable(folder(layout)).version() == version


def test_an_erasure_removes_what_a_failed_writer_left(layout: Layout) -> None:
    append(layout, TABLE, rows(1))
    arm("registered rows written=full")
    try:
        with pytest.raises(OSError, match="No space left"):
            append(layout, TABLE, rows(2, text="secret"))
    finally:
        arm("")
    assert len([*folder(layout).glob("*.parquet")]) == 2
    remove_replaced(layout, TABLE)  # another process might be about to publish the file
    assert len([*folder(layout).glob("*.parquet")]) == 2
    clear(layout, TABLE)
    assert len([*folder(layout).glob("*.parquet")]) == 1
    assert numbers(layout) == [1]


def test_a_copy_of_the_logs_and_then_the_files_is_complete(layout: Layout, tmp_path: Path) -> None:
    """Rows are added, and files merged, between the two steps of a copy."""
    for number in range(6):
        append(layout, TABLE, rows(number))
    copy = Layout(tmp_path / "copy")
    shutil.copytree(folder(layout) / "_delta_log", folder(copy) / "_delta_log")
    for number in range(6, 12):
        append(layout, TABLE, rows(number))
    for path in folder(layout).glob("*.parquet"):
        shutil.copy(path, folder(copy))
    assert numbers(copy) == [*range(6)]
    append(copy, TABLE, rows(100))
    assert numbers(copy) == [*range(6), 100]
    remove_replaced(copy, TABLE)
    assert numbers(copy) == [*range(6), 100]


@pytest.mark.parametrize("point", one_in(6, ["published=stop", "written=stop", "written=stop@3"]))
def test_a_killed_writer_leaves_all_rows_or_none(layout: Layout, point: str) -> None:
    append(layout, NUMBERS, pa.table({"number": [1]}))
    killed = appending(layout, 2, 9, f"registered rows {point}")
    os.waitpid(killed.pid, os.WUNTRACED)
    before = numbers(layout, NUMBERS)
    assert before == {"published=stop": [1, 2], "written=stop@3": [1, 2, 3]}.get(point, [1])
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    append(layout, NUMBERS, pa.table({"number": [100]}))
    assert numbers(layout, NUMBERS) == [*before, 100]
    assert [row["number"] for row in delta_rows(layout)] == [*before, 100]
    remove_replaced(layout, NUMBERS)
    found = state_of(layout, NUMBERS)
    assert {*folder(layout).glob("*.parquet")} == {file.path for file in found.files}


@pytest.mark.long
def test_two_processes_without_the_lock_lose_no_rows(layout: Layout) -> None:
    two = [appending(layout, 0, 15), appending(layout, 100, 115)]
    while any(each.poll() is None for each in two):
        found = numbers(layout, NUMBERS)  # readers never see half of a version
        assert [each for each in found if each < 100] == [*range(sum(n < 100 for n in found))]
    assert [each.returncode for each in two] == [0, 0]
    assert sorted(numbers(layout, NUMBERS)) == [*range(15), *range(100, 115)]
    assert len(delta_rows(layout)) == 30


def test_a_writer_without_its_lock_changes_nothing(layout: Layout) -> None:
    append(layout, TABLE, rows(1))
    with locked(layout):
        layout.write_lock.unlink()
        with pytest.raises(Busy, match="was removed"):
            append(layout, TABLE, rows(2))
    assert numbers(layout) == [1]


def test_a_folder_that_is_replaced_is_read_again(layout: Layout, tmp_path: Path) -> None:
    append(layout, TABLE, rows(1))
    append(layout, TABLE, rows(2))
    assert numbers(layout) == [1, 2]
    other = Layout(tmp_path / "other")
    append(other, TABLE, rows(7))
    folder(layout).rename(tmp_path / "aside")
    folder(other).rename(folder(layout))
    assert numbers(layout) == [7]


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 8] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("harm", [empty, cut, flip, Path.unlink])
def test_a_damaged_file_is_named(layout: Layout, harm: Callable[[Path], None]) -> None:
    append(layout, TABLE, rows(*range(1000), text="text"))
    found = state_of(layout, TABLE)
    (file,) = found.files
    harm(file.path)
    with pytest.raises(Damaged) as raised:
        read(layout, TABLE)
    assert raised.value.wanted == f"Cannot read the table of things {file.path}"
    assert raised.value.remedy == f"Restore the folder {folder(layout)} from a backup"


@pytest.mark.parametrize("harm", [empty, cut])
def test_a_damaged_log_is_named(layout: Layout, harm: Callable[[Path], None]) -> None:
    append(layout, TABLE, rows(1))
    append(layout, TABLE, rows(2))
    harm(logs(layout)[-1])
    for work in (lambda: read(layout, TABLE), lambda: append(layout, TABLE, rows(3))):
        with pytest.raises(Damaged) as raised:
            work()
        assert raised.value.wanted == f"Cannot read the table of things {logs(layout)[-1]}"
        assert raised.value.remedy == f"Restore the folder {folder(layout)} from a backup"
