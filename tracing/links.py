"""Joins of Spark frames that stand for what each operator of a captured block has merged.

A link leads from the rows or groups of one place back to what they derive from, one captured
operator away, and forwards again.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from provhouse.ingest.captured.description import (
    CapturedWrite,
    Part,
    SourceFile,
    TapTable,
)
from provhouse.ingest.captured.pairs import ROW_BITS
from provhouse.ingest.captured.source_columns import NULL_GROUP

from .ids import Ids
from .numbers import Numbers, Shift
from .places import Place
from .records import ID, VALUE, column_of
from .taps import FILE, PLACE, ROW, rows_frame, tap_frame

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_KEY, _PARTITION, _AT = "key", "partition", "at"


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


@dataclass(frozen=True)
class Link(ABC):
    """The associations of one tap, or of the rows of one write."""

    spark: "SparkSession"
    of: Place
    slots: tuple[Slot, ...]
    numbers: Numbers

    def back(self, ids: Ids) -> Iterator[tuple[Place, "DataFrame"]]:
        """Yield what rows or groups derive from, by place."""
        for number, slot in enumerate(self.slots):
            found = self._used(ids, f"s{number}")
            for place in slot.places:
                yield place, self._of_place(found, place, slot)

    def forwards(self, place: Place, ids: Ids) -> "Iterator[DataFrame]":
        """Yield the rows or groups that derive from some of a place."""
        for number, slot in enumerate(self.slots):
            if place in slot.places:
                yield self._using(ids, f"s{number}")

    @abstractmethod
    def frame(self) -> "DataFrame":
        """Return the associations: the column ``key``, and a column for each slot."""

    def _used(self, ids: Ids, column: str) -> "DataFrame":
        return _ids(ids.keep(self.frame(), _KEY), column)

    def _using(self, ids: Ids, column: str) -> "DataFrame":
        return _ids(ids.keep(self.frame(), column), _KEY)

    def _of_place(self, found: "DataFrame", place: Place, slot: Slot) -> "DataFrame":
        if len(slot.places) == 1:
            return found
        if place.write is None:
            return found.where(f"id < {self.numbers.first_id(0)}L")
        first, end = (self.numbers.first_id(place.write + more) for more in (0, 1))
        return found.where(f"id >= {first}L AND id < {end}L")

    def _columns(self) -> list[str]:
        return [f"{slot.sql} AS s{number}" for number, slot in enumerate(self.slots)]


def _ids(rows: "DataFrame", column: str) -> "DataFrame":
    return rows.selectExpr(f"{column} AS id").where("id IS NOT NULL")


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


@dataclass(frozen=True)
class ColumnLink(Link):
    """The groups of an operator whose keys are a column of a source, so that its tap has none."""

    table: TapTable
    files: tuple[SourceFile, ...]

    def frame(self) -> "DataFrame":
        """Return the associations: the column ``key``, and a column for each slot."""
        from pyspark.sql import functions as F

        source = self.table.source
        assert source
        rows = tap_frame(self.spark, [self.table.folder], len(self.slots))
        values = column_of(self.spark, self.files, source.column)
        found = rows.join(values, F.expr(f"c{source.slot} = {ID}"), "left")
        return found.selectExpr(
            f"coalesce({VALUE}, {NULL_GROUP}L) AS {_KEY}",
            *self._columns(),
        )


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

    def _used(self, ids: Ids, column: str) -> "DataFrame":
        rows, used = ids.keep(self.frame(), _KEY), self.frame()
        return _ids(
            used.alias("used").join(rows.alias("rows"), self._looks_at(), "left_semi"), column
        )

    def _using(self, ids: Ids, column: str) -> "DataFrame":
        rows, used = self.frame(), ids.keep(self.frame(), column)
        return _ids(
            rows.alias("rows").join(used.alias("used"), self._looks_at(), "left_semi"), _KEY
        )

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
        return self._framed(self.spans)

    def _used(self, ids: Ids, column: str) -> "DataFrame":
        if ids.few is None:
            return super()._used(ids, column)
        held = {each >> ROW_BITS for each in ids.few}
        return _ids(
            ids.keep(self._framed([s for s in self.spans if s.id >> ROW_BITS in held]), _KEY),
            column,
        )

    def _framed(self, spans: Sequence["Span"]) -> "DataFrame":
        from pyspark.sql import functions as F

        rows = rows_frame(self.spark, self.write.folder / "rows", len(self.slots), self.write.parts)
        schema = "name string, place string, first bigint, end bigint, id bigint"
        files = self.spark.createDataFrame(
            [(s.name, s.place, s.first, s.end, s.id) for s in spans], schema
        )
        within = F.expr(f"{FILE} = name AND {PLACE} = place AND {ROW} >= first AND {ROW} < end")
        found = rows.join(F.broadcast(files), within)
        return found.selectExpr(f"id + {ROW} - first AS {_KEY}", *self._columns())


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
