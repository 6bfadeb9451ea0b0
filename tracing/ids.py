"""The ids that a cursor is at: a few in memory, or a lazy Spark frame."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING

from provhouse.model.arrays import I64

from .places import Place

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FEW = 1000
"""The largest number of ids that are held in memory."""

ID = "provhouse_id"
"""The column with the id of each record, beside its own columns."""
_WANTED = "provhouse_wanted"

Frame = Callable[[], "DataFrame"]
"""Makes a frame with the column ``id``, which may repeat an id; to plan it takes time."""
Found = Iterator[tuple[Place, I64]]
"""Ids as they are found, by place; an id may be repeated."""


@dataclass(frozen=True)
class Ids:
    """Ids of one place: either ``few`` of them, or a frame that is made when it is needed."""

    few: frozenset[int] | None = None
    make: Frame | None = None
    files: tuple[int, ...] = ()
    """The numbers of the files of which these are all rows; empty if that is unknown."""

    @cached_property
    def frame(self) -> "DataFrame":
        """The frame of more than a few ids."""
        assert self.make is not None
        return self.make()

    def keep(self, rows: "DataFrame", column: str) -> "DataFrame":
        """Return the rows of a frame whose column is one of the ids."""
        from pyspark.sql import functions as F

        if self.few is not None:
            return rows.where(is_in(column, self.few))
        ids = self.frame.withColumnRenamed("id", _WANTED)
        return rows.join(ids, F.expr(f"{column} = {_WANTED}"), "left_semi")

    def to_frame(self, spark: "SparkSession") -> "DataFrame":
        """Return the ids as a frame with the column ``id``."""
        if self.few is None:
            return self.frame
        numbers = ", ".join(f"{each}L" for each in sorted(self.few))
        return spark.sql(f"SELECT explode(CAST(array({numbers}) AS array<bigint>)) AS id")

    def count(self) -> int:
        """Return the number of different ids."""
        return len(self.few) if self.few is not None else self.frame.distinct().count()

    def __and__(self, other: "Ids") -> "Ids":
        if self.few is not None and other.few is not None:
            return Ids(self.few & other.few)
        if self.few is not None:
            return other & self
        return Ids(make=lambda: other.keep(self.frame, "id"))


Position = Mapping[Place, Ids]
"""The ids of a cursor, by the places where they are."""


def is_in(column: str, numbers: Iterable[int]) -> str:
    """Return a condition in SQL: a column is one of some 64-bit numbers."""
    listed = ", ".join(f"{number}L" for number in sorted(numbers))
    return f"{column} IN ({listed})" if listed else "false"


def settled(
    parts: Sequence[tuple[Place, Frame]],
    stay: Mapping[Place, Ids],
    spark: "SparkSession",
    few: bool,
    scan: Callable[[], Found | None] = lambda: None,
) -> Position:
    """Return the ids of frames by place, in memory if they are few, and those that ``stay``.

    ``few`` says that they may be few, so that it is worth to find out: ``scan`` yields them, or
    if it yields None one Spark job reads at most ``FEW`` ids and one more. Otherwise nothing is
    read now.
    """
    known: Mapping[Place, set[int]] | None = None
    if few and parts:
        scanned = scan()
        known = _collected(parts) if scanned is None else _taken(scanned)
    if known is not None:
        found = {place: Ids(frozenset(ids)) for place, ids in known.items()}
    else:
        found = {
            place: Ids(make=_united([make for at, make in parts if at == place]))
            for place in dict.fromkeys(place for place, _ in parts)
        }
    for place, ids in stay.items():
        found[place] = together(found[place], ids, spark) if place in found else ids
    return {place: ids for place, ids in found.items() if ids.few is None or ids.few}


def together(one: Ids, other: Ids, spark: "SparkSession") -> Ids:
    """Return the ids that are in one of two sets."""
    if one.few is not None and other.few is not None:
        return Ids(one.few | other.few)
    return Ids(make=_united([lambda: one.to_frame(spark), lambda: other.to_frame(spark)]))


def first(ids: Ids, most: int) -> Ids:
    """Return up to some ids, in memory: the smallest of a few, or any of a frame."""
    if ids.few is not None:
        return Ids(frozenset(sorted(ids.few)[:most]))
    found = ids.frame.limit(10 * most).collect()  # without a look at all for repeated ones
    if len({row["id"] for row in found}) < most <= len(found) // 10:
        found = ids.frame.distinct().limit(most).collect()
    return Ids(frozenset(sorted({row["id"] for row in found})[:most]))


def without_rows(rows: Position, others: Position, spark: "SparkSession") -> Position:
    """Return the ids that are not among those of another position."""
    found = {
        place: _less(ids, others[place], spark) if place in others else ids
        for place, ids in rows.items()
    }
    return {place: ids for place, ids in found.items() if ids.few is None or ids.few}


def _less(one: Ids, other: Ids, spark: "SparkSession") -> Ids:
    if one.few is not None and other.few is not None:
        return Ids(one.few - other.few)
    return Ids(make=lambda: one.to_frame(spark).join(other.to_frame(spark), "id", "left_anti"))


def _united(parts: Sequence[Frame]) -> Frame:
    return lambda: reduce(lambda one, other: one.unionAll(other), (make() for make in parts))


def _taken(found: Found) -> dict[Place, set[int]] | None:
    """Return ids by place, or None if there are more than ``FEW``."""
    known, count = defaultdict[Place, set[int]](set), 0
    for place, ids in found:
        new = set(ids.tolist()) - known[place]
        count += len(new)
        if count > FEW:
            return None
        known[place] |= new
    return known


def _collected(parts: Sequence[tuple[Place, Frame]]) -> dict[Place, set[int]] | None:
    """Return the ids of frames by place, or None if there are more than ``FEW`` rows of them."""
    places = list(dict.fromkeys(place for place, _ in parts))
    every = _united([_numbered(make, places.index(place)) for place, make in parts])()
    rows = every.limit(FEW + 1).collect()
    known = defaultdict[Place, set[int]](set)
    for row in rows:
        known[places[row["place"]]].add(row["id"])
    return known if len(rows) <= FEW else None


def _numbered(make: Frame, place: int) -> Frame:
    from pyspark.sql import functions as F

    return lambda: make().select("id", F.lit(place).alias("place"))
