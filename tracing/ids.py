"""The ids that a cursor is at: a few in memory, or a lazy Spark frame."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .places import Place

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FEW = 1000
"""The largest number of ids that are held in memory."""


@dataclass(frozen=True)
class Ids:
    """Ids of one place: either ``few`` of them, or a frame with the column ``id``."""

    few: frozenset[int] | None = None
    frame: "DataFrame | None" = None
    """It may repeat an id."""
    files: tuple[int, ...] = ()
    """The numbers of the files of which these are all rows; empty if that is unknown."""

    def keep(self, rows: "DataFrame", column: str) -> "DataFrame":
        """Return the rows of a frame whose column is one of the ids."""
        from pyspark.sql import functions as F

        if self.few is not None:
            return rows.where(is_in(column, self.few))
        assert self.frame is not None
        ids = self.frame.withColumnRenamed("id", "provhouse_id")
        return rows.join(ids, F.expr(f"{column} = provhouse_id"), "left_semi")

    def to_frame(self, spark: "SparkSession") -> "DataFrame":
        """Return the ids as a frame with the column ``id``."""
        if self.few is None:
            assert self.frame is not None
            return self.frame
        numbers = ", ".join(f"{each}L" for each in sorted(self.few))
        return spark.sql(f"SELECT explode(CAST(array({numbers}) AS array<bigint>)) AS id")

    def count(self) -> int:
        """Return the number of different ids."""
        if self.few is not None:
            return len(self.few)
        assert self.frame is not None
        return self.frame.distinct().count()

    def __and__(self, other: "Ids") -> "Ids":
        if self.few is not None and other.few is not None:
            return Ids(self.few & other.few)
        if self.few is not None:
            return other & self
        assert self.frame is not None
        return Ids(frame=other.keep(self.frame, "id"))


Position = Mapping[Place, Ids]
"""The ids of a cursor, by the places where they are."""


def is_in(column: str, numbers: Iterable[int]) -> str:
    """Return a condition in SQL: a column is one of some 64-bit numbers."""
    listed = ", ".join(f"{number}L" for number in sorted(numbers))
    return f"{column} IN ({listed})" if listed else "false"


def settled(
    parts: Sequence[tuple[Place, "DataFrame"]], stay: Mapping[Place, Ids], probe: bool
) -> Position:
    """Return the ids of frames by place, in memory if they are few, and those that ``stay``.

    With ``probe``, one Spark job reads at most ``FEW`` ids and one more, to find out whether they
    are few. Otherwise nothing runs.
    """
    if not parts:
        return dict(stay)
    spark = parts[0][1].sparkSession
    few = _few(parts) if probe else None
    if few is not None:
        found = {place: Ids(frozenset(ids)) for place, ids in few.items()}
    else:
        frames: dict[Place, DataFrame] = {}
        for place, frame in parts:
            frames[place] = frames[place].unionAll(frame) if place in frames else frame
        found = {place: Ids(frame=frame) for place, frame in frames.items()}
    for place, ids in stay.items():
        found[place] = together(found[place], ids, spark) if place in found else ids
    return {place: ids for place, ids in found.items() if ids.few is None or ids.few}


def together(one: Ids, other: Ids, spark: "SparkSession") -> Ids:
    """Return the ids that are in one of two sets."""
    if one.few is not None and other.few is not None:
        return Ids(one.few | other.few)
    return Ids(frame=one.to_frame(spark).unionAll(other.to_frame(spark)))


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
    return Ids(frame=one.to_frame(spark).join(other.to_frame(spark), "id", "left_anti"))


def _few(parts: Sequence[tuple[Place, "DataFrame"]]) -> dict[Place, set[int]] | None:
    """Return the ids of frames, or None if there are more than ``FEW``."""
    from pyspark.sql import functions as F

    places = list(dict.fromkeys(place for place, _ in parts))
    every: DataFrame | None = None
    for place, frame in parts:
        numbered = frame.select("id", F.lit(places.index(place)).alias("place"))
        every = numbered if every is None else every.unionAll(numbered)
    assert every is not None
    rows = every.limit(FEW + 1).collect()
    if len(rows) > FEW:
        return None
    found: dict[Place, set[int]] = {}
    for row in rows:
        found.setdefault(places[row["place"]], set()).add(row["id"])
    return found
