"""Links between the places of a captured block, as joins of Spark frames.

A link leads from the rows or groups at one place back to the rows or groups from which one captured
operator derived them. A link can also be followed forwards. If there are only a few ids, this
process follows the links itself, without Spark.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from provhouse.model.arrays import I64, unique
from provhouse.model.associations import NONE

from .cursor_ids import CursorIds, Found, Frame, is_in
from .cursor_places import CursorPlace
from .numbers import FileNumbers, Shift

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Rows = Iterator[I64]
"""Associations as two-dimensional arrays.

Row 0 of an array holds the ids of the derived rows or groups. Each further row of the array holds
the ids in one slot of the tap.
"""
KEY = "key"
"""The column with the id of the row or group that derives from the ids in the slots."""


@dataclass(frozen=True)
class Slot:
    """A column of a tap, with row ids of one or more places, or with group keys of one place."""

    column: str
    places: tuple[CursorPlace, ...]
    shifts: tuple[Shift, ...] = ()
    """The shifts that turn the column's row ids into ids of the block, ordered by id."""

    @property
    def sql(self) -> str:
        """The SQL expression that converts the column's values to ids of the block."""
        if not self.shifts or all(shift.add == 0 for shift in self.shifts):
            return self.column
        cases = (
            f"WHEN {self.column} < {shift.end}L THEN {self.column} + {shift.add}L"
            for shift in self.shifts  # in ascending order, so the first shift that fits is right
        )
        return f"CASE {' '.join(cases)} END"

    def of_block(self, values: I64) -> I64:
        """Return the block's distinct ids for values of the column."""
        return self._moved(unique(values[values != NONE]))

    def of_rows(self, values: I64) -> I64:
        """Return the block's id for each value; ``NONE`` stays ``NONE``."""
        found = np.full(len(values), NONE)
        found[values != NONE] = self._moved(values[values != NONE])
        return found

    def _moved(self, values: I64) -> I64:
        if not self.shifts:
            return values
        ends, adds = np.array([(s.end, s.add) for s in self.shifts]).T
        moved: I64 = values + adds[np.searchsorted(ends, values, side="right")]
        return moved

    def of_tap(self, ids: I64) -> I64:
        """Return the column's values for ids of the block."""
        if not self.shifts:
            return ids
        given = [(ids - s.add, s) for s in self.shifts]
        return np.concatenate(
            [values[(values >= s.first) & (values < s.end)] for values, s in given]
        )


@dataclass(frozen=True)
class TapLink(ABC):
    """A link that follows the associations of one tap, or of one write's rows."""

    spark: "SparkSession"
    of: CursorPlace
    slots: tuple[Slot, ...]
    numbers: FileNumbers

    def back(self, ids: CursorIds) -> Iterator[tuple[CursorPlace, Frame]]:
        """Yield the places from which ``ids`` derive, each with a function.

        The function returns a frame with the ids of the place.
        """
        for place in self._places:
            yield place, lambda place=place: self._back(ids, place)  # type: ignore[misc]

    def forwards(self, place: CursorPlace, ids: CursorIds) -> "DataFrame":
        """Return the rows or groups that derive from ``ids`` of a place."""
        return ids_in(self._using(ids, self._of(place)), [KEY])

    def scan_back(self, ids: I64) -> Found | None:
        """Yield the same ids as ``back`` for a few ids, or return None if only Spark can do so."""
        rows = self.scan_rows(ids)
        return None if rows is None else self._found_in(rows)

    def scan_rows(self, ids: I64) -> Rows | None:
        """Yield the associations of a few ids, or return None if only Spark can find them."""
        return None

    def scan_forwards(self, place: CursorPlace, ids: I64) -> Iterator[I64] | None:
        """Yield the same ids as ``forwards``, or return None if only Spark can do so."""
        return None

    @abstractmethod
    def frame(self) -> "DataFrame":
        """Return the associations: the column ``key``, and a column for each slot."""

    def _back(self, ids: CursorIds, place: CursorPlace) -> "DataFrame":
        slots = self._of(place)
        found = ids_in(self._used(ids), [f"s{slot}" for slot in slots])
        if all(len(self.slots[slot].places) == 1 for slot in slots):
            return found
        first, end = self.bounds_of(place)
        return found.where(f"id >= {first}L AND id < {end}L")

    def _used(self, ids: CursorIds) -> "DataFrame":
        """Return the associations of the rows or groups with ``ids``."""
        return ids.keep(self.frame(), KEY)

    def _using(self, ids: CursorIds, slots: Sequence[int]) -> "DataFrame":
        """Return the associations that have one of ``ids`` in one of ``slots``."""
        return holding(self.frame(), ids, slots)

    @property
    def _places(self) -> Sequence[CursorPlace]:
        return [*dict.fromkeys(place for slot in self.slots for place in slot.places)]

    def _of(self, place: CursorPlace) -> list[int]:
        """Return the numbers of the slots that contain ids of a place."""
        return [number for number, slot in enumerate(self.slots) if place in slot.places]

    def bounds_of(self, place: CursorPlace) -> tuple[int, int]:
        """Return the smallest id of a place's rows, and the id at which their range ends."""
        if place.write is None:
            return 0, self.numbers.first_id(0)
        first, end = (self.numbers.first_id(place.write + more) for more in (0, 1))
        return first, end

    def _columns(self) -> list[str]:
        return [f"{slot.sql} AS s{number}" for number, slot in enumerate(self.slots)]

    def _named(self) -> list[str]:
        return [slot.column for slot in self.slots]

    def _found_in(self, rows: Rows) -> Found:
        """Yield each place, and its ids in the slots of the associations ``rows``."""
        for found in rows:
            yield from self._found(found[1:])

    def _found(self, values: I64) -> Found:
        for slot, column in zip(self.slots, values, strict=True):
            ids = slot.of_block(column)
            if len(slot.places) == 1:
                yield slot.places[0], ids
                continue
            for place in slot.places:
                first, end = self.bounds_of(place)
                yield place, ids[(ids >= first) & (ids < end)]


def ids_in(rows: "DataFrame", columns: Sequence[str]) -> "DataFrame":
    ids = columns[0] if len(columns) == 1 else f"explode(array({', '.join(columns)}))"
    return rows.selectExpr(f"{ids} AS id").where("id IS NOT NULL")


def holding(rows: "DataFrame", ids: CursorIds, slots: Sequence[int]) -> "DataFrame":
    columns = [f"s{slot}" for slot in slots]
    if ids.few is not None:
        return rows.where(" OR ".join(is_in(column, ids.few) for column in columns))
    if len(columns) == 1:
        return ids.keep(rows, columns[0])
    return ids.keep(rows.selectExpr("*", f"explode(array({', '.join(columns)})) AS one"), "one")
