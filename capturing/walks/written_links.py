"""Links between the rows of a write and their sources."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from provhouse.model.arrays import I64

from ..reading.description import CapturedWrite
from .cursor_places import CursorPlace
from .row_scan import MOST, among, matches, rows_at, rows_in
from .tap_links import KEY, Rows, TapLink
from .taps import FILE, PLACE, ROW, places_in, rows_frame, tap_paths

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class WrittenLink(TapLink):
    """The link of a write's rows: row n of the tap of task p is row n of the file ``part-p``."""

    write: CapturedWrite
    spans: tuple["RowSpan", ...]

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
        return found.selectExpr(f"id + {ROW} - first AS {KEY}", *self._columns())

    def scan_rows(self, ids: I64) -> Rows | None:
        """Yield the associations of ``ids``, or return None for large partitioned writes."""
        if not self.slots:
            return iter(())
        if self.write.parts and rows_in(tap_paths([self._folder])) > MOST:
            return None
        return self._scan_rows(ids)

    def _scan_rows(self, ids: I64) -> Rows:
        for name, spans in self._by_name.items():
            parts = [(span, ids[slice(*np.searchsorted(ids, (span.id, span.id + span.rows)))])
                     for span in spans]  # fmt: skip
            if any(len(found) for _, found in parts):
                rows = np.concatenate([self._rows(span, found) for span, found in parts])
                order, keys = np.argsort(rows), np.concatenate([found for _, found in parts])
                values = rows_at(self._folder / name, rows[order], self._named())
                yield np.concatenate([keys[order][None], values])

    def scan_forwards(self, place: CursorPlace, ids: I64) -> Iterator[I64] | None:
        """Yield the rows derived from ``ids``, or return None if the write has too many rows."""
        paths = tap_paths([self._folder])
        return self._scan_forwards(place, ids, paths) if rows_in(paths) <= MOST else None

    def _scan_forwards(self, place: CursorPlace, ids: I64, paths: Sequence[Path]) -> Iterator[I64]:
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
    def _by_name(self) -> dict[str, list["RowSpan"]]:
        found: dict[str, list[RowSpan]] = {}
        for span in self.spans:
            found.setdefault(span.name, []).append(span)
        return found

    def _rows(self, span: "RowSpan", ids: I64) -> I64:
        """Return the positions of the rows with ``ids`` in the association file of a span."""
        positions = span.first + ids - span.id
        return self._places_in(span.name)[span.place][positions] if self.write.parts else positions

    def _positions(self, span: "RowSpan", rows: I64) -> I64:
        """Convert positions in an association file to positions among the span's rows.

        Rows that belong to other places are left out.
        """
        if not self.write.parts:
            return rows
        places = self._places_in(span.name)[span.place]
        at: I64 = np.minimum(np.searchsorted(places, rows), len(places) - 1)
        found: I64 = at[places[at] == rows]
        return found

    def _places_in(self, name: str) -> dict[str, I64]:
        if name not in self._places_known:
            self._places_known.clear()  # keep only one file's places in memory
            self._places_known[name] = places_in(self._folder / name, self.write.parts)
        return self._places_known[name]

    @cached_property
    def _places_known(self) -> dict[str, dict[str, I64]]:
        return {}


@dataclass(frozen=True)
class RowSpan:
    """The rows of an association file that belong to one file of the output."""

    name: str
    place: str
    first: int
    """The position of the file's first row among the rows of the task and place."""
    end: int
    id: int
    """The id of the file's first row."""

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.end - self.first
