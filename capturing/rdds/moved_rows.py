"""Stages whose records carry their own slots, since Spark moves the records one by one."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .entering import Carried, Positioned
from .stages import Enter, FileScan, Slot, StageBranch

if TYPE_CHECKING:
    from pyspark import RDD


def carried(
    pairs: "RDD[Any]", slots: tuple[Slot, ...], scans: tuple[FileScan, ...], absence: bool
) -> StageBranch:
    """Return the branch for an RDD of pairs of a record and its slots."""
    return StageBranch(pairs, _entering(len(slots)), slots, scans, absence=absence)


def _entering(width: int) -> Enter:
    def enter(split: int, pairs: Iterable[Any]) -> Positioned:
        return Carried(width, pairs)

    return enter
