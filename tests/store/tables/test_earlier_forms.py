"""Tables in earlier releases' formats can be read, and the first change copies their rows."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from provhouse.model.column_map import ColumnMap
from provhouse.model.errors import Damaged
from provhouse.store.tables.file_table import add_files, numbers_of, read_files
from provhouse.store.tables.pins import Pin, add_pins, read_pins
from provhouse.store.tables.registry import (
    FILES,
    PINS,
    REGISTRY,
    clear,
    read,
    remove_earlier_form,
    state_of,
)
from provhouse.store.tables.sampled_writes import SampledWrite, add_samples, read_samples
from provhouse.store.tables.uncaptured import (
    Uncaptured,
    note_captured,
    note_uncaptured,
    uncaptured,
)
from provhouse.store.tables.written import (
    RowTracking,
    Written,
    add_written,
    read_since,
    read_written,
)
from provhouse.store.warehouse.layout import Layout

FIRST = Written("t", 1, ("id",), (1, 2), "")
SECOND = Written(
    "u",
    3,
    (),
    (3,),
    "r",
    ColumnMap({"a": [("t", "b")]}, {"a": [("t", "c", "filter")]}, (("t", "d", "join"),), ("t",)),
    "/u",
    True,
    2,
    5,
    RowTracking("_id", (4,), (40,)),
    ("ID",),
    ((10, 20),),
)
SAMPLE = SampledWrite("u", 3, 0.5, ("t",), 5)
MISSED = Uncaptured("v", "r", "2026-01-01T00:00:00+00:00", "why")
PIN = Pin("t", ("id",), Path("/data/1"), 5, 6, 7, 8)


def stored(path: Path, record: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record))


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A warehouse whose tables have the layout of format 7."""
    for number, paths in ((1, ["/1", "/2"]), (3, ["/3"])):
        rows = {"number": [*range(number, number + len(paths))], "path": paths}
        path = tmp_path / "files" / f"{number:016d}.parquet"
        path.parent.mkdir(exist_ok=True)
        pq.write_table(pa.table(rows, schema=FILES.schema), path)
    (tmp_path / "files" / "0000000000000004.parquet.new").write_text("left by a killed writer")
    (tmp_path / "pins").mkdir()
    pin = {**vars(PIN), "path": str(PIN.path)}
    pq.write_table(pa.Table.from_pylist([pin], PINS.schema), tmp_path / "pins" / "01.parquet")
    stored(
        tmp_path / "written" / "0000000000000001.json",
        {"table": "t", "version": 1, "key": ["id"], "files": [1, 2], "run": ""},
    )
    tracking = {"column": "_id", "commits": [4], "first_rows": [40]}
    columns = {
        "values": {"a": [["t", "b"]]},
        "influence": {"a": [["t", "c", "filter"]]},
        "rows": [["t", "d", "join"]],
        "tables": ["t"],
    }
    stored(
        tmp_path / "written" / "0000000000000003.json",
        {"table": "u", "version": 3, "key": [], "files": [3], "run": "r", "columns": columns,
         "path": "/u", "replaces": True, "bare": 2, "after": 5, "tracking": tracking,
         "stored": ["ID"], "states": [[10, 20]]},
    )  # fmt: skip
    stored(tmp_path / "samples" / "0000000000000003.json", {**vars(SAMPLE), "reads": ["t"]})
    stored(tmp_path / "uncaptured" / "fe01.json", vars(MISSED))
    return Layout(tmp_path)


def check_read(layout: Layout) -> None:
    assert read_files(layout).to_pydict() == {"number": [1, 2, 3], "path": ["/1", "/2", "/3"]}
    assert read_pins(layout) == [PIN]
    assert read_written(layout) == {1: FIRST, 2: FIRST, 3: SECOND}
    assert read_since(layout, 2) == [SECOND]
    assert read_samples(layout) == [SAMPLE]
    assert uncaptured(layout) == [MISSED]


def test_earlier_forms_are_read_without_a_change(layout: Layout) -> None:
    check_read(layout)
    assert not layout.registered_tables.exists()


EARLIER = [table for table in REGISTRY if table.earlier]
CHANGES: dict[str, Callable[[Layout], object]] = {
    "files": lambda layout: add_files(layout, pa.array(["/4"])),
    "pins": lambda layout: add_pins(layout, [Pin("t", (), Path("/data/2"), 1, 1)]),
    "written": lambda layout: add_written(layout, [Written("w", 4, (), (4,), "")]),
    "samples": lambda layout: add_samples(layout, [SAMPLE, SampledWrite("w", 4, 0.1, (), 6)]),
    "uncaptured": lambda layout: note_uncaptured(layout, [Uncaptured("w", "", "", "")]),
}


def test_a_change_copies_the_rows_of_the_earlier_form(layout: Layout) -> None:
    before = {table.name: read(layout, table).to_pylist() for table in EARLIER}
    for table in EARLIER:
        CHANGES[table.name](layout)
        remove_earlier_form(layout, table)
        rows = read(layout, table).to_pylist()
        assert len(rows) == len(before[table.name]) + 1
        assert rows[:-1] == before[table.name]
        assert not (layout.root / table.name).exists()
    assert numbers_of(layout, pa.array(["/4", "/1", "/5"])).tolist() == [4, 1, -1]


def test_an_earlier_form_stays_until_its_rows_are_copied(layout: Layout) -> None:
    for table in EARLIER:
        remove_earlier_form(layout, table)
    note_captured(layout, ["other"])
    check_read(layout)
    note_captured(layout, ["v"])
    assert uncaptured(layout) == []
    assert (layout.root / "uncaptured").exists()


def test_an_erasure_removes_keys_from_an_earlier_form(layout: Layout) -> None:
    clear(layout, PINS)
    (pin,) = read_pins(layout)
    assert (pin, pin.low, pin.high) == (PIN, None, None)
    assert not (layout.root / "pins").exists()


@pytest.mark.parametrize(
    ("file", "title"),
    [
        ("files/0000000000000001.parquet", "table of files"),
        ("written/0000000000000001.json", "table of captured writes"),
        ("samples/0000000000000003.json", "table of sampled writes"),
    ],
)
@pytest.mark.parametrize("content", [b"", b"[]", b'{"version": "text"}'])
def test_a_damaged_earlier_form_is_named(
    layout: Layout, file: str, title: str, content: bytes
) -> None:
    (layout.root / file).write_bytes(content)
    (table,) = (table for table in EARLIER if table.title == title)
    for work in (lambda: read(layout, table), lambda: CHANGES[table.name](layout)):
        with pytest.raises(Damaged) as raised:
            work()
        assert raised.value.wanted == f"Cannot read the {title} {layout.root / file}"
    assert state_of(layout, table).version == -1
