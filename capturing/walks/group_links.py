"""Links between groups of rows and the rows or groups that they derive from."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, Bools
from provhouse.model.associations import NONE, ROW_BITS

from ..reading.description import SourceFile
from ..reading.source_keys import key_of_null
from ..reading.tap_table import SourceKey, TapTable
from .cursor_ids import ID
from .cursor_places import CursorPlace
from .raw_records import VALUE, keys_in
from .row_scan import MOST, KeyScan, among, matches, rows_in
from .tap_links import KEY, Rows, TapLink
from .taps import tap_frame, tap_paths

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_ROW = (1 << ROW_BITS) - 1
"""The bit mask for the part of an id that contains the row's index in its file."""


@dataclass(frozen=True)
class GroupLink(TapLink):
    """The link of marked rows, or of the groups of an operator that merges rows."""

    folders: tuple[Path, ...]
    columns: int

    def frame(self) -> "DataFrame":
        """Return the associations: the column ``key``, and a column for each slot."""
        found = tap_frame(self.spark, self.folders, self.columns)
        return found.selectExpr(f"c0 AS {KEY}", *self._columns())

    def scan_rows(self, ids: I64) -> Rows | None:
        """Yield the associations of groups, or return None if the tap has too many rows."""
        return self._scan_rows(ids) if rows_in(tap_paths(self.folders)) <= MOST else None

    def _scan_rows(self, ids: I64) -> Rows:
        for found in matches(tap_paths(self.folders), "c0", among(ids), ["c0", *self._named()]):
            yield found.values

    def scan_forwards(self, place: CursorPlace, ids: I64) -> Iterator[I64] | None:
        """Yield the groups derived from ``ids``, or return None if the tap has too many rows."""
        return self._scan_forwards(place, ids) if rows_in(tap_paths(self.folders)) <= MOST else None

    def _scan_forwards(self, place: CursorPlace, ids: I64) -> Iterator[I64]:
        for slot in (self.slots[number] for number in self._of(place)):
            wanted = among(slot.of_tap(ids))
            for found in matches(tap_paths(self.folders), slot.column, wanted, ["c0"]):
                yield np.asarray(pa.array(found.values[0]).unique())


@dataclass(frozen=True)
class SourceLink(TapLink):
    """The link of groups whose keys are read from columns of a source; the tap has no keys."""

    table: TapTable
    files: tuple[SourceFile, ...]

    def frame(self) -> "DataFrame":
        """Return the associations: the column ``key``, and a column for each slot."""
        from pyspark.sql import functions as F

        rows = tap_frame(self.spark, [self.table.folder], len(self.slots))
        keys = keys_in(self.spark, self.files, self._source)
        found = rows.join(keys, F.expr(f"c{self._source.slot} = {ID}"), "left")
        return found.selectExpr(f"coalesce({VALUE}, {self._null}L) AS {KEY}", *self._columns())

    def scan_rows(self, ids: I64) -> Rows | None:
        """Yield the associations of groups, or return None if the tap has too many rows."""
        return self._scan_rows(ids) if rows_in(self._paths) <= MOST else None

    def _scan_rows(self, ids: I64) -> Rows:
        masks, locks = dict[int, Bools](), {number: Lock() for number in self._by_number}

        # Several threads call this function. A lock lets one thread compute the mask of a file.
        def keep(column: pa.Array) -> Bools:
            rows = np.asarray(column)
            found = np.full(len(rows), self._null in ids)
            for number, at in _by_file(rows):
                with locks[number]:
                    if number not in masks:
                        masks[number] = self._file(number).having(ids)
                found[at] = masks[number][rows[at] & _ROW]
            return found

        for found in matches(self._paths, f"c{self._source.slot}", keep, self._named()):
            keys = self._keys(found.values[self._source.slot])
            yield np.concatenate([keys[None], found.values])

    def _keys(self, rows: I64) -> I64:
        """Return the group of each source row."""
        found = np.full(len(rows), self._null)
        for number, at in _by_file(rows):
            found[at] = self._file(number).of(rows[at] & _ROW)
        return found

    def scan_forwards(self, place: CursorPlace, ids: I64) -> Iterator[I64] | None:
        """Yield the groups derived from ``ids``, or return None if the tap has too many rows."""
        return self._scan_forwards(place, ids) if rows_in(self._paths) <= MOST else None

    def _scan_forwards(self, place: CursorPlace, ids: I64) -> Iterator[I64]:
        for slot in (self.slots[number] for number in self._of(place)):
            wanted = among(slot.of_tap(ids))
            by = f"c{self._source.slot}"
            for found in matches(self._paths, slot.column, wanted, [by]):
                rows = np.asarray(pa.array(found.values[0]).unique())
                yield np.asarray(pa.array(self._keys(rows)).unique())

    @property
    def _source(self) -> SourceKey:
        assert self.table.source
        return self.table.source

    @cached_property
    def _null(self) -> int:
        return key_of_null(self._source)

    @property
    def _paths(self) -> list[Path]:
        return tap_paths([self.table.folder])

    def _file(self, number: int) -> KeyScan:
        if number not in self._known:
            file = self._by_number[number]
            file.check_unchanged()
            self._known[number] = KeyScan(file.path, self.table)
        return self._known[number]

    @cached_property
    def _known(self) -> dict[int, KeyScan]:
        return {}

    @cached_property
    def _by_number(self) -> dict[int, SourceFile]:
        return {file.number: file for file in self.files}


def _by_file(rows: I64) -> Iterator[tuple[int, I64]]:
    """Yield the number of each file, with the positions of this file's rows in ``rows``."""
    numbers = np.where(rows == NONE, -1, rows >> ROW_BITS)
    for number in pa.array(numbers).unique().to_pylist():
        if number >= 0:
            yield number, np.flatnonzero(numbers == number)
