"""The ids of a cursor, in memory or as a lazy Spark frame."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64, among, minus, union, unique
from provhouse.model.associations import ROW_BITS

from .cursor_places import CursorPlace

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FEW = 1000
"""The largest number of ids that are listed in SQL and whose records this process reads itself."""
HELD = 1 << 24
"""The largest number of ids that a step keeps in memory; they take 128 MB."""

ID = "provhouse_id"
"""The name of the id column, which records have in addition to their own columns."""
_WANTED = "provhouse_wanted"

Frame = Callable[[], "DataFrame"]
"""A function that plans a frame with the column ``id``. Planning is slow; ids may repeat."""
Found = Iterator[tuple[CursorPlace, I64]]
"""Ids in the order in which a search finds them, with their places; ids may repeat."""


@dataclass(frozen=True, eq=False)
class CursorIds:
    """The ids of one place: ``held`` in memory, or in a frame that is planned on first use."""

    held: I64 | None = None
    """The distinct ids in ascending order, or None if they are in a frame."""
    make: Frame | None = None
    files: tuple[int, ...] = ()
    """If the ids are exactly all rows of some files, these files' numbers; otherwise empty."""

    @property
    def few(self) -> I64 | None:
        """The ids if they are few and in memory, otherwise None."""
        return self.held if self.held is not None and len(self.held) <= FEW else None

    @property
    def are_none(self) -> bool:
        """Whether it is known without Spark that there are no ids."""
        return self.held is not None and not len(self.held)

    @cached_property
    def frame(self) -> "DataFrame":
        """The frame of ids that are not in memory."""
        assert self.make is not None
        return self.make()

    def keep(self, rows: "DataFrame", column: str) -> "DataFrame":
        """Return those rows of a frame whose value in ``column`` is one of the ids."""
        from pyspark.sql import functions as F

        if self.few is not None:
            return rows.where(is_in(column, self.few))
        ids = self.to_frame(rows.sparkSession).withColumnRenamed("id", _WANTED)
        if self.held is not None:
            ids = F.broadcast(ids)
        return rows.join(ids, F.expr(f"{column} = {_WANTED}"), "left_semi")

    def to_frame(self, spark: "SparkSession") -> "DataFrame":
        """Return the ids as a frame with the column ``id``."""
        if self.held is None:
            return self.frame
        if self.few is None:
            return spark.createDataFrame(pa.table({"id": self.held}), "id bigint")
        numbers = ", ".join(f"{each}L" for each in self.held)
        return spark.sql(f"SELECT explode(CAST(array({numbers}) AS array<bigint>)) AS id")

    def taken(self, spark: "SparkSession", most: int) -> I64:
        """Return the sorted ids; of a frame with over ``most`` ids, return any ``most`` + 1."""
        if self.held is not None:
            return self.held
        found = self.to_frame(spark).select("id").distinct().limit(most + 1).toArrow()
        return np.sort(np.asarray(found["id"].combine_chunks()))

    def count(self) -> int:
        """Return the number of distinct ids."""
        return len(self.held) if self.held is not None else self.frame.distinct().count()

    def numbers(self) -> set[int]:
        """Return the numbers of the files that contain the rows; the ids must be in memory."""
        assert self.held is not None
        return {*unique(self.held >> ROW_BITS).tolist()}

    def __and__(self, other: "CursorIds") -> "CursorIds":
        if self.held is not None and other.held is not None:
            return CursorIds(self.held[among(self.held, other.held)])
        if self.held is not None:
            return other & self
        return CursorIds(make=lambda: other.keep(self.frame, "id"))


Position = Mapping[CursorPlace, CursorIds]
"""The ids of a cursor, by place."""


def is_in(column: str, numbers: I64) -> str:
    """Return the SQL condition that a column has one of the given 64-bit numbers."""
    listed = ", ".join(f"{number}L" for number in numbers)
    return f"{column} IN ({listed})" if listed else "false"


def settled(
    parts: Sequence[tuple[CursorPlace, Frame]],
    stay: Mapping[CursorPlace, CursorIds],
    spark: "SparkSession",
    few: bool,
    scan: Callable[[], Found | None] = lambda: None,
) -> Position:
    """Return, by place, the ids of the frames in ``parts`` and the ids in ``stay``.

    If there are few ids, the result has them in memory. ``scan`` returns the ids of the frames if
    it can find them without Spark, or else None. If ``scan`` returns None and ``few`` is true, a
    Spark job reads up to ``FEW`` + 1 rows to find out whether there are few ids. Otherwise, the
    frames stay lazy.
    """
    known: Mapping[CursorPlace, I64] | None = None
    scanned = scan()
    if scanned is not None:
        known = _taken(scanned)
    elif few and parts:
        known = _collected(parts)
    if known is not None:
        found = {place: CursorIds(ids) for place, ids in known.items()}
    else:
        found = {
            place: CursorIds(make=_united([make for at, make in parts if at == place]))
            for place in dict.fromkeys(place for place, _ in parts)
        }
    for place, ids in stay.items():
        found[place] = together(found[place], ids, spark) if place in found else ids
    return {place: ids for place, ids in found.items() if not ids.are_none}


def together(one: CursorIds, other: CursorIds, spark: "SparkSession") -> CursorIds:
    """Return the union of two sets of ids."""
    if one.held is not None and other.held is not None:
        return CursorIds(union(one.held, other.held))
    return CursorIds(make=_united([lambda: one.to_frame(spark), lambda: other.to_frame(spark)]))


def first(ids: CursorIds, most: int) -> CursorIds:
    """Return at most ``most`` ids in memory: the smallest held ids, or any ids of a frame."""
    if ids.held is not None:
        return CursorIds(ids.held[:most])
    found = ids.frame.limit(10 * most).collect()  # distinct() would read the whole frame
    if len({row["id"] for row in found}) < most <= len(found) // 10:
        found = ids.frame.distinct().limit(most).collect()
    return CursorIds(_distinct(row["id"] for row in found)[:most])


def without_rows(rows: Position, others: Position, spark: "SparkSession") -> Position:
    """Return the ids that are in the position ``rows`` but not in the position ``others``."""
    found = {
        place: _less(ids, others[place], spark) if place in others else ids
        for place, ids in rows.items()
    }
    return {place: ids for place, ids in found.items() if not ids.are_none}


def _less(one: CursorIds, other: CursorIds, spark: "SparkSession") -> CursorIds:
    if one.held is not None and other.held is not None:
        return CursorIds(minus(one.held, other.held))
    return CursorIds(
        make=lambda: one.to_frame(spark).join(other.to_frame(spark), "id", "left_anti")
    )


def _united(parts: Sequence[Frame]) -> Frame:
    return lambda: reduce(lambda one, other: one.unionAll(other), (make() for make in parts))


def _taken(found: Found) -> dict[CursorPlace, I64] | None:
    """Return distinct ids by place, or None if there are more than ``HELD``."""
    parts, size = defaultdict[CursorPlace, list[I64]](list), 0
    for place, ids in found:
        parts[place].append(ids)
        size += len(ids)
        if size > 2 * HELD:  # ids may repeat, so remove repeated ids before giving up
            parts = _merged(parts)
            size = sum(len(ids) for (ids,) in parts.values())
            if size > HELD:
                return None
    known = {place: ids for place, (ids,) in _merged(parts).items()}
    return known if sum(map(len, known.values())) <= HELD else None


def _merged(parts: Mapping[CursorPlace, list[I64]]) -> defaultdict[CursorPlace, list[I64]]:
    """Return the distinct ids of each place as one array."""
    merged = {place: [unique(np.concatenate(ids))] for place, ids in parts.items()}
    return defaultdict(list, merged)


def _distinct(ids: Iterable[int]) -> I64:
    return unique(np.fromiter(ids, np.int64))


def _collected(parts: Sequence[tuple[CursorPlace, Frame]]) -> dict[CursorPlace, I64] | None:
    """Return the ids in frames by place, or None if the frames have more than ``FEW`` rows."""
    places = list(dict.fromkeys(place for place, _ in parts))
    every = _united([_numbered(make, places.index(place)) for place, make in parts])()
    rows = every.limit(FEW + 1).collect()
    if len(rows) > FEW:
        return None
    return {
        place: _distinct(row["id"] for row in rows if row["place"] == at)
        for at, place in enumerate(places)
    }


def _numbered(make: Frame, place: int) -> Frame:
    from pyspark.sql import functions as F

    return lambda: make().select("id", F.lit(place).alias("place"))
