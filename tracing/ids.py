"""The ids that a cursor is at: a few in memory, or a lazy Spark frame."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from itertools import islice
from typing import TYPE_CHECKING

from provhouse.model.arrays import I64

from .places import Place

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FEW = 1000
"""The largest number of ids that are held in memory."""

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
    sample: Callable[[], frozenset[int]] = frozenset
    """Finds some ids of the frame sooner than Spark, to show a part of them at once."""

    @cached_property
    def frame(self) -> "DataFrame":
        """The frame of more than a few ids."""
        assert self.make is not None
        return self.make()

    @cached_property
    def first(self) -> frozenset[int]:
        """Some of the ids, which may be none; all of them if they are few."""
        return self.sample() if self.few is None else self.few

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
    if it yields None one Spark job reads at most ``FEW`` ids and one more. If they are many, what
    ``scan`` yields first can be shown at once. Otherwise nothing is read now.
    """

    @cache
    def known() -> tuple[dict[Place, set[int]], bool]:
        found = scan()
        if found is not None:
            return _taken(found)
        return _collected(parts) if few and parts else ({}, not parts)

    if few and known()[1]:
        found = {place: Ids(frozenset(ids)) for place, ids in known()[0].items()}
    else:
        found = {
            place: Ids(
                make=_united([make for at, make in parts if at == place]),
                sample=lambda place=place: frozenset(known()[0].get(place, ())),  # type: ignore[misc]
            )
            for place in dict.fromkeys(place for place, _ in parts)
        }
    for place, ids in stay.items():
        found[place] = together(found[place], ids, spark) if place in found else ids
    return {place: ids for place, ids in found.items() if ids.few is None or ids.few}


def together(one: Ids, other: Ids, spark: "SparkSession") -> Ids:
    """Return the ids that are in one of two sets."""
    if one.few is not None and other.few is not None:
        return Ids(one.few | other.few)
    make = _united([lambda: one.to_frame(spark), lambda: other.to_frame(spark)])
    return Ids(make=make, sample=lambda: frozenset(islice(one.first | other.first, FEW + 1)))


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


def _taken(found: Found) -> tuple[dict[Place, set[int]], bool]:
    """Return at most ``FEW`` ids and one more, and whether these are all."""
    known, room = defaultdict[Place, set[int]](set), FEW + 1
    for place, ids in found:
        new = set(ids.tolist()) - known[place]
        known[place].update(islice(new, room))
        room -= len(new)
        if room <= 0:
            return known, False
    return known, True


def _collected(parts: Sequence[tuple[Place, Frame]]) -> tuple[dict[Place, set[int]], bool]:
    """Return the same for ids of frames, by one Spark job."""
    places = list(dict.fromkeys(place for place, _ in parts))
    every = _united([_numbered(make, places.index(place)) for place, make in parts])()
    rows = every.limit(FEW + 1).collect()
    known = defaultdict[Place, set[int]](set)
    for row in rows:
        known[places[row["place"]]].add(row["id"])
    return known, len(rows) <= FEW


def _numbered(make: Frame, place: int) -> Frame:
    from pyspark.sql import functions as F

    return lambda: make().select("id", F.lit(place).alias("place"))
