"""Find the records of items that captured jobs have read or written, in their pinned files.

Only the row groups with the rows of these items are read. A row id gives the position of a row; a
key is first looked up in the key columns.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.capturing.reading.file_names import Key
from provhouse.capturing.reading.row_keys import INT96, texts, with_instants
from provhouse.model.answer import Answer
from provhouse.model.arrays import without_views
from provhouse.model.associations import ROW_BITS
from provhouse.store.tables.file_table import NUMBER, PATH, read_files
from provhouse.store.tables.pins import Pin, read_pins
from provhouse.store.tables.written import Written, read_written
from provhouse.store.warehouse.layout import Layout

MOST = 1000
"""The largest number of items whose records are read."""
UNREADABLE = "unreadable"
"""The state of a file that is damaged, or in another format than Parquet."""


@dataclass(frozen=True)
class Record:
    """The values of one item's columns, and the file from which they were read."""

    item: str
    file: Path
    values: Mapping[str, Any]


@dataclass(frozen=True)
class LostFile:
    """A pinned file from which nothing is read, because it is gone, changed or unreadable."""

    path: Path
    state: str
    """The state of the file: ``gone``, ``changed`` or ``unreadable``."""


@dataclass(frozen=True)
class TableRecords:
    """The records of the items of one table."""

    table: str
    records: tuple[Record, ...]
    missing: tuple[str, ...]
    """The items for which no record was found."""
    lost: tuple[LostFile, ...]
    """The files that may have contained the missing records."""


@dataclass(frozen=True)
class CapturedRecords:
    """The records of the items of an answer, by table."""

    answer: Answer
    tables: tuple[TableRecords, ...]
    more: int
    """The number of further items, whose records were not read.

    An answer may have too many items to read the records of all.
    """


def records(layout: Layout, answer: Answer, most: int = MOST) -> CapturedRecords:
    """Return the records of the first items of an answer.

    If jobs read a source in different states, its records are returned in the state that the latest
    job read. Raises Damaged if a table of the warehouse is unreadable.
    """
    by_table: defaultdict[str, list[str]] = defaultdict(list)
    for row in answer.items.slice(0, most).to_pylist():
        by_table[row["table"] or ""].append(row["item"])
    found = records_of(layout, by_table)
    return CapturedRecords(answer, found, max(0, answer.items.num_rows - most))


def records_of(layout: Layout, items: Mapping[str, Sequence[str]]) -> tuple[TableRecords, ...]:
    """Return the records of ``items``, given by table. Raises the errors of ``records``."""
    files = _Files.of(layout, items)
    return tuple(_table(table, names, files) for table, names in items.items())


@dataclass(frozen=True)
class _Files:
    pins: Mapping[str, Sequence[Pin]]
    """For each table, its pinned files in their latest state, the most recently pinned first."""
    paths: Mapping[int, Path]
    writes: Mapping[tuple[str, int], Written]
    written: frozenset[Path]
    """The files of captured writes, whose rows have versions."""

    @classmethod
    def of(cls, layout: Layout, tables: Mapping[str, object]) -> "_Files":
        latest: dict[tuple[str, Path], Pin] = {}
        for pin in read_pins(layout, tables.keys()):
            latest.pop((pin.table, pin.path), None)
            latest[pin.table, pin.path] = pin
        pins: defaultdict[str, list[Pin]] = defaultdict(list)
        for pin in reversed(latest.values()):
            pins[pin.table].append(pin)
        known = read_files(layout)
        numbers, paths = known[NUMBER].to_pylist(), map(Path, known[PATH].to_pylist())
        at = dict(zip(numbers, paths, strict=True))
        by_file = read_written(layout)
        writes = {(each.table, each.version): each for each in by_file.values()}
        return cls(pins, at, writes, frozenset(at[number] for number in by_file if number in at))


@dataclass
class _Wanted:
    """Items of one table, and the files in which to look for them."""

    pins: Sequence[Pin]
    texts: dict[str, str] = field(default_factory=dict)
    """The items to look for, by the string that identifies an item's row in the files."""


def _table(table: str, items: Sequence[str], files: _Files) -> TableRecords:
    found, lost = dict[str, Record](), dict[Path, LostFile]()
    for wanted in _wanted(table, items, files):
        for pin in wanted.pins:
            left = {text: item for text, item in wanted.texts.items() if item not in found}
            if not left:
                break
            state = pin.difference()
            try:
                if not state:
                    found |= {record.item: record for record in _read(pin, left)}
            except (OSError, pa.ArrowException):
                state = UNREADABLE
            if state:
                lost[pin.path] = LostFile(pin.path, state)
    missing = tuple(item for item in items if item not in found)
    shown = tuple(found[item] for item in items if item in found)
    return TableRecords(table, shown, missing, tuple(lost.values()) if missing else ())


def _wanted(table: str, items: Sequence[str], files: _Files) -> Iterator[_Wanted]:
    """Yield the items with the files that may contain them: by version, by row id, or by key."""
    pins = files.pins.get(table, ())
    by_write: dict[int, _Wanted] = {}
    by_file: dict[Path, _Wanted] = {}
    keyed = _Wanted([pin for pin in pins if pin.key and pin.path not in files.written])
    for item in items:
        name = item.removeprefix(f"{table}/")
        text, _, version = name.rpartition("@")
        write = files.writes.get((table, int(version))) if version.isdecimal() else None
        number = int(name) >> ROW_BITS if name.isdecimal() and len(name) < 20 else -1
        if write:
            paths = {files.paths.get(each) for each in write.files}
            of = [pin for pin in pins if pin.path in paths]
            by_write.setdefault(write.version, _Wanted(of)).texts[text] = item
        elif path := files.paths.get(number):
            of = [pin for pin in pins if pin.path == path and not pin.key]
            by_file.setdefault(path, _Wanted(of)).texts[str(_row(int(name)))] = item
        keyed.texts[name] = item
    yield from by_write.values()
    yield from by_file.values()
    yield keyed


def _row(row_id: int) -> int:
    return row_id & ((1 << ROW_BITS) - 1)


def _read(pin: Pin, wanted: Mapping[str, str]) -> Iterator[Record]:
    """Yield the records of the wanted rows that are in a file."""
    with pq.ParquetFile(pin.path, **INT96) as file:
        first = 0
        for group in range(file.num_row_groups):
            count = file.metadata.row_group(group).num_rows
            at = _places(file, group, first, count, pin.key, wanted)
            if at:
                rows = without_views(file.read_row_group(group)).take(pa.array([*at], pa.int64()))
                for text, row in zip(at.values(), rows.to_pylist(), strict=True):
                    yield Record(wanted[text], pin.path, {**row, **_of_folders(pin.path)})
            first += count


def _of_folders(path: Path) -> dict[str, str]:
    """Return the columns whose values are in folder names only, such as ``day=2026-01-01``."""
    pairs = (folder.partition("=") for folder in path.parent.parts)
    return {unquote(name): unquote(value) for name, equals, value in pairs if equals}


def _places(
    file: pq.ParquetFile, group: int, first: int, count: int, key: Key, wanted: Mapping[str, str]
) -> dict[int, str]:
    """Map the position of each wanted row in a row group to the string that identifies the row."""
    if not key:
        rows = {int(text) - first: text for text in wanted}
        return {row: text for row, text in sorted(rows.items()) if 0 <= row < count}
    if not _may_have(file, group, key, wanted):
        return {}
    rows = with_instants(file.read_row_group(group, list(key)), file)
    names = texts(without_views(rows))
    at = np.flatnonzero(pc.is_in(names, pa.array([*wanted], pa.string())))
    return {int(row): names[int(row)].as_py() for row in at}


def _may_have(file: pq.ParquetFile, group: int, key: Key, wanted: Mapping[str, str]) -> bool:
    """Return whether a row group may contain wanted rows, according to the statistics of its key.

    The result is True if there are no statistics, if the key has two or more columns, or if its
    names are not in the order of its values.
    """
    columns = file.metadata.row_group(group)
    at = [n for n in range(columns.num_columns) if columns.column(n).path_in_schema == key[0]]
    if len(key) > 1 or len(at) != 1:
        return True
    statistics = columns.column(at[0]).statistics
    if statistics is None or not statistics.has_min_max:
        return True
    low, high = statistics.min, statistics.max
    if type(low) not in (int, str, date):
        return True
    if not isinstance(low, int):
        return any(str(low) <= text <= str(high) for text in wanted)
    numbers = (int(text) for text in wanted if text.lstrip("-").isdecimal())
    return any(low <= number <= high for number in numbers)
