"""Joins of Spark frames that stand for what each operator of a captured block has merged.

A link leads from the rows or groups of one place back to what they derive from, one captured
operator away, and forwards again. Few ids are looked for in this process, without Spark.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from provhouse.ingest.captured.associations import NONE
from provhouse.ingest.captured.description import (
    CapturedWrite,
    Part,
    SourceColumn,
    SourceFile,
    TapTable,
)
from provhouse.ingest.captured.pairs import ROW_BITS
from provhouse.ingest.captured.source_columns import NULL_GROUP
from provhouse.model.arrays import I64, Bools

from .ids import Found, Frame, Ids, is_in
from .numbers import Numbers, Shift
from .places import Place
from .records import ID, VALUE, column_of
from .scan import MOST, ColumnFile, among, matches, rows_at, rows_in
from .taps import FILE, PLACE, ROW, places_in, rows_frame, tap_frame, tap_paths

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_KEY, _PARTITION, _AT = "key", "partition", "at"
_ROW = (1 << ROW_BITS) - 1
"""The bits of an id that are the index of the row."""


@dataclass(frozen=True)
class Slot:
    """A column of a tap: ids of rows of some places, or keys of the groups of one place."""

    column: str
    places: tuple[Place, ...]
    shifts: tuple[Shift, ...] = ()
    """For ids of rows, how to make those of the block of them."""

    @property
    def sql(self) -> str:
        """The ids of the block, as SQL."""
        if not self.shifts or all(shift.add == 0 for shift in self.shifts):
            return self.column
        cases = (
            f"WHEN {self.column} < {shift.end << ROW_BITS}L "
            f"THEN {self.column} + {shift.add << ROW_BITS}L"
            for shift in self.shifts  # in ascending order, so that the first that fits is right
        )
        return f"CASE {' '.join(cases)} END"

    def of_block(self, values: I64) -> I64:
        """Return the ids of the block that values of the column stand for, each once."""
        found = np.asarray(pa.array(values[values != NONE]).unique())
        if not self.shifts:
            return found
        ends, adds = np.array([(s.end, s.add) for s in self.shifts]).T << ROW_BITS
        moved: I64 = found + adds[np.searchsorted(ends, found, side="right")]
        return moved

    def of_tap(self, ids: I64) -> I64:
        """Return the values of the column that stand for ids of the block."""
        if not self.shifts:
            return ids
        given = [(ids - (s.add << ROW_BITS), s.first, s.end) for s in self.shifts]
        return np.concatenate(
            [
                values[(values >> ROW_BITS >= first) & (values >> ROW_BITS < end)]
                for values, first, end in given
            ]
        )


@dataclass(frozen=True)
class Link(ABC):
    """The associations of one tap, or of the rows of one write."""

    spark: "SparkSession"
    of: Place
    slots: tuple[Slot, ...]
    numbers: Numbers

    def back(self, ids: Ids) -> Iterator[tuple[Place, Frame]]:
        """Yield what rows or groups derive from, by place."""
        for place in self._places:
            yield place, lambda place=place: self._back(ids, place)  # type: ignore[misc]

    def forwards(self, place: Place, ids: Ids) -> "DataFrame":
        """Return the rows or groups that derive from some of a place."""
        return _ids(self._using(ids, self._of(place)), [_KEY])

    def scan_back(self, ids: I64) -> Found | None:
        """Yield the same as ``back`` for a few ids; None if only Spark can look for them."""
        return None

    def scan_forwards(self, place: Place, ids: I64) -> Iterator[I64] | None:
        """Yield the same as ``forwards`` for a few ids; None if only Spark can look for them."""
        return None

    @abstractmethod
    def frame(self) -> "DataFrame":
        """Return the associations: the column ``key``, and a column for each slot."""

    def _back(self, ids: Ids, place: Place) -> "DataFrame":
        slots = self._of(place)
        found = _ids(self._used(ids), [f"s{slot}" for slot in slots])
        if all(len(self.slots[slot].places) == 1 for slot in slots):
            return found
        first, end = self._bounds_of(place)
        return found.where(f"id >= {first}L AND id < {end}L")

    def _used(self, ids: Ids) -> "DataFrame":
        """Return the associations of some rows or groups."""
        return ids.keep(self.frame(), _KEY)

    def _using(self, ids: Ids, slots: Sequence[int]) -> "DataFrame":
        """Return the associations in which one of some slots is one of some ids."""
        return _holding(self.frame(), ids, slots)

    @property
    def _places(self) -> Sequence[Place]:
        return [*dict.fromkeys(place for slot in self.slots for place in slot.places)]

    def _of(self, place: Place) -> list[int]:
        """Return the slots with ids of a place."""
        return [number for number, slot in enumerate(self.slots) if place in slot.places]

    def _bounds_of(self, place: Place) -> tuple[int, int]:
        """Return the smallest id of the rows of a place, and the one after the largest."""
        if place.write is None:
            return 0, self.numbers.first_id(0)
        first, end = (self.numbers.first_id(place.write + more) for more in (0, 1))
        return first, end

    def _columns(self) -> list[str]:
        return [f"{slot.sql} AS s{number}" for number, slot in enumerate(self.slots)]

    def _named(self) -> list[str]:
        return [slot.column for slot in self.slots]

    def _found(self, values: I64) -> Found:
        """Yield ids, by place, for the slots of some associations."""
        for slot, column in zip(self.slots, values, strict=True):
            ids = slot.of_block(column)
            if len(slot.places) == 1:
                yield slot.places[0], ids
                continue
            for place in slot.places:
                first, end = self._bounds_of(place)
                yield place, ids[(ids >= first) & (ids < end)]


def _ids(rows: "DataFrame", columns: Sequence[str]) -> "DataFrame":
    ids = columns[0] if len(columns) == 1 else f"explode(array({', '.join(columns)}))"
    return rows.selectExpr(f"{ids} AS id").where("id IS NOT NULL")


def _holding(rows: "DataFrame", ids: Ids, slots: Sequence[int]) -> "DataFrame":
    columns = [f"s{slot}" for slot in slots]
    if ids.few is not None:
        return rows.where(" OR ".join(is_in(column, ids.few) for column in columns))
    if len(columns) == 1:
        return ids.keep(rows, columns[0])
    return ids.keep(rows.selectExpr("*", f"explode(array({', '.join(columns)})) AS one"), "one")


@dataclass(frozen=True)
class GroupLink(Link):
    """The groups of an operator that merges rows, or marked rows."""

    folders: tuple[Path, ...]
    key: int
    """The column of the key."""
    columns: int

    def frame(self) -> "DataFrame":
        """Return the associations: the column ``key``, and a column for each slot."""
        found = tap_frame(self.spark, self.folders, self.columns)
        return found.selectExpr(f"c{self.key} AS {_KEY}", *self._columns())

    def scan_back(self, ids: I64) -> Found | None:
        """Yield what groups derive from, or None if there are too many rows."""
        return self._scan_back(ids) if rows_in(tap_paths(self.folders)) <= MOST else None

    def _scan_back(self, ids: I64) -> Found:
        for found in matches(tap_paths(self.folders), f"c{self.key}", among(ids), self._named()):
            yield from self._found(found.values)

    def scan_forwards(self, place: Place, ids: I64) -> Iterator[I64] | None:
        """Yield the groups that derive from rows or groups, or None if there are too many rows."""
        return self._scan_forwards(place, ids) if rows_in(tap_paths(self.folders)) <= MOST else None

    def _scan_forwards(self, place: Place, ids: I64) -> Iterator[I64]:
        for slot in (self.slots[number] for number in self._of(place)):
            wanted = among(slot.of_tap(ids))
            for found in matches(tap_paths(self.folders), slot.column, wanted, [f"c{self.key}"]):
                yield np.asarray(pa.array(found.values[0]).unique())


@dataclass(frozen=True)
class ColumnLink(Link):
    """The groups of an operator whose keys are a column of a source, so that its tap has none."""

    table: TapTable
    files: tuple[SourceFile, ...]

    def frame(self) -> "DataFrame":
        """Return the associations: the column ``key``, and a column for each slot."""
        from pyspark.sql import functions as F

        source = self._source
        rows = tap_frame(self.spark, [self.table.folder], len(self.slots))
        values = column_of(self.spark, self.files, source.column)
        found = rows.join(values, F.expr(f"c{source.slot} = {ID}"), "left")
        return found.selectExpr(
            f"coalesce({VALUE}, {NULL_GROUP}L) AS {_KEY}",
            *self._columns(),
        )

    def scan_back(self, ids: I64) -> Found | None:
        """Yield what groups derive from, or None if there are too many rows."""
        return self._scan_back(ids) if rows_in(self._paths) <= MOST else None

    def _scan_back(self, ids: I64) -> Found:
        masks = dict[int, Bools]()

        def keep(column: pa.Array) -> Bools:
            rows = np.asarray(column)
            found = np.full(len(rows), NULL_GROUP in ids)
            for number, at in _by_file(rows):
                if number not in masks:
                    masks[number] = self._column(number).having(ids)
                found[at] = masks[number][rows[at] & _ROW]
            return found

        for found in matches(self._paths, f"c{self._source.slot}", keep, self._named()):
            yield from self._found(found.values)

    def scan_forwards(self, place: Place, ids: I64) -> Iterator[I64] | None:
        """Yield the groups that derive from rows or groups, or None if there are too many rows."""
        return self._scan_forwards(place, ids) if rows_in(self._paths) <= MOST else None

    def _scan_forwards(self, place: Place, ids: I64) -> Iterator[I64]:
        for slot in (self.slots[number] for number in self._of(place)):
            wanted = among(slot.of_tap(ids))
            by = f"c{self._source.slot}"
            for found in matches(self._paths, slot.column, wanted, [by]):
                rows = np.asarray(pa.array(found.values[0]).unique())
                if (rows == NONE).any():
                    yield np.array([NULL_GROUP])
                for number, at in _by_file(rows):
                    keys = self._column(number).values(rows[at] & _ROW)
                    yield np.asarray(pa.array(keys).unique())

    @property
    def _source(self) -> SourceColumn:
        assert self.table.source
        return self.table.source

    @property
    def _paths(self) -> list[Path]:
        return tap_paths([self.table.folder])

    def _column(self, number: int) -> ColumnFile:
        if number not in self._known:
            file = self._by_number[number]
            file.check_unchanged()
            self._known[number] = ColumnFile(file.path, self._source.column)
        return self._known[number]

    @cached_property
    def _known(self) -> dict[int, ColumnFile]:
        return {}

    @cached_property
    def _by_number(self) -> dict[int, SourceFile]:
        return {file.number: file for file in self.files}


def _by_file(rows: I64) -> Iterator[tuple[int, I64]]:
    """Yield the numbers of the files that have some rows, and the positions of these."""
    numbers = np.where(rows == NONE, -1, rows >> ROW_BITS)
    for number in pa.array(numbers).unique().to_pylist():
        if number >= 0:
            yield number, np.flatnonzero(numbers == number)


@dataclass(frozen=True)
class WindowLink(Link):
    """The rows of a window that looks at parts of its partitions."""

    table: TapTable
    parts: tuple[Part, ...]

    def frame(self) -> "DataFrame":
        """Return the rows: ``key``, ``partition``, ``at``, and a column for each slot."""
        found = tap_frame(self.spark, [self.table.folder], self.table.first_slot + len(self.slots))
        return found.selectExpr(
            f"c0 AS {_KEY}",
            f"c1 AS {_PARTITION}",
            f"{self._place} AS {_AT}",
            *self._columns(),
            *(f"{low} AS low{n}" for n, (low, _) in enumerate(self._bounds)),
            *(f"{high} AS high{n}" for n, (_, high) in enumerate(self._bounds)),
        )

    def _used(self, ids: Ids) -> "DataFrame":
        rows, used = ids.keep(self.frame(), _KEY), self.frame()
        return used.alias("used").join(rows.alias("rows"), self._looks_at(), "left_semi")

    def _using(self, ids: Ids, slots: Sequence[int]) -> "DataFrame":
        rows, used = self.frame(), _holding(self.frame(), ids, slots)
        return rows.alias("rows").join(used.alias("used"), self._looks_at(), "left_semi")

    def _looks_at(self) -> "Column":
        from pyspark.sql import functions as F

        parts = " OR ".join(
            f"(used.{_AT} >= rows.low{n} AND used.{_AT} <= rows.high{n})"
            for n in range(len(self.parts))
        )
        return F.expr(f"used.{_PARTITION} = rows.{_PARTITION} AND ({parts})")

    @property
    def _place(self) -> str:
        return f"c{2 + self.table.checked}"

    @cached_property
    def _bounds(self) -> list[tuple[str, str]]:
        return [self._bound(part) for part in self.parts]

    def _bound(self, part: Part) -> tuple[str, str]:
        """Return the numbers of the first and the last row of a part, which may not exist."""
        first = 2 + self.table.checked
        if part.last is not None:
            last = f"c{first + part.last} - {part.less}"
            return (f"{last} - c{first + part.count} + 1" if part.count is not None else "1L", last)
        low = "1L" if part.low is None else f"{self._place} + {part.low}"
        high = f"{(1 << 63) - 1}L" if part.high is None else f"{self._place} + {part.high}"
        return low, high


@dataclass(frozen=True)
class WrittenLink(Link):
    """The rows of a write: row n that the tap wrote in task p is row n of ``part-p``."""

    write: CapturedWrite
    spans: tuple["Span", ...]

    def frame(self) -> "DataFrame":
        """Return the associations: the column ``key``, and a column for each slot."""
        from pyspark.sql import functions as F

        rows = rows_frame(self.spark, self._folder, len(self.slots), self.write.parts)
        schema = "name string, place string, first bigint, end bigint, id bigint"
        files = self.spark.createDataFrame(
            [(s.name, s.place, s.first, s.end, s.id) for s in self.spans], schema
        )
        within = F.expr(f"{FILE} = name AND {PLACE} = place AND {ROW} >= first AND {ROW} < end")
        found = rows.join(F.broadcast(files), within)
        return found.selectExpr(f"id + {ROW} - first AS {_KEY}", *self._columns())

    def scan_back(self, ids: I64) -> Found | None:
        """Yield what rows derive from; None if they are in partitions of too many rows."""
        if not self.slots:
            return iter(())
        if self.write.parts and rows_in(tap_paths([self._folder])) > MOST:
            return None
        return self._scan_back(ids)

    def _scan_back(self, ids: I64) -> Found:
        for name, spans in self._by_name.items():
            parts = [(span, ids[(ids >= span.id) & (ids < span.id + span.rows)]) for span in spans]
            if any(len(found) for _, found in parts):
                rows = np.sort(np.concatenate([self._rows(span, found) for span, found in parts]))
                yield from self._found(rows_at(self._folder / name, rows, self._named()))

    def scan_forwards(self, place: Place, ids: I64) -> Iterator[I64] | None:
        """Yield the rows that derive from rows or groups, or None if there are too many."""
        paths = tap_paths([self._folder])
        return self._scan_forwards(place, ids, paths) if rows_in(paths) <= MOST else None

    def _scan_forwards(self, place: Place, ids: I64, paths: Sequence[Path]) -> Iterator[I64]:
        for slot in (self.slots[number] for number in self._of(place)):
            for found in matches(paths, slot.column, among(slot.of_tap(ids)), ()):
                for span in self._by_name[found.path.name]:
                    rows = self._positions(span, found.rows)
                    here = rows[(rows >= span.first) & (rows < span.end)]
                    yield span.id + here - span.first

    @property
    def _folder(self) -> Path:
        return self.write.folder / "rows"

    @cached_property
    def _by_name(self) -> dict[str, list["Span"]]:
        found: dict[str, list[Span]] = {}
        for span in self.spans:
            found.setdefault(span.name, []).append(span)
        return found

    def _rows(self, span: "Span", ids: I64) -> I64:
        """Return where rows of a file are in its association file."""
        positions = span.first + ids - span.id
        return self._places_in(span.name)[span.place][positions] if self.write.parts else positions

    def _positions(self, span: "Span", rows: I64) -> I64:
        """Return the positions of rows of an association file among those of the place."""
        if not self.write.parts:
            return rows
        places = self._places_in(span.name)[span.place]
        at: I64 = np.minimum(np.searchsorted(places, rows), len(places) - 1)
        found: I64 = at[places[at] == rows]
        return found

    def _places_in(self, name: str) -> dict[str, I64]:
        if name not in self._places_known:
            self._places_known.clear()  # those of one file at a time
            self._places_known[name] = places_in(self._folder / name, self.write.parts)
        return self._places_known[name]

    @cached_property
    def _places_known(self) -> dict[str, dict[str, I64]]:
        return {}


@dataclass(frozen=True)
class Span:
    """Rows of an association file that are the rows of one file of the output."""

    name: str
    place: str
    first: int
    """The position among the rows of the task and place, of the file's first row."""
    end: int
    id: int
    """The id of the first row."""

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.end - self.first
