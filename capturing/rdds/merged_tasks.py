"""Merge the combined records of tasks after a shuffle; Spark's Python workers run this module."""

from collections.abc import Callable, Iterable
from operator import add
from typing import Any

from pyspark.serializers import AutoBatchedSerializer, CPickleSerializer
from pyspark.shuffle import Aggregator, ExternalMerger

from .entering import Merged, Positioned
from .stages import Enter

_batched: Any = AutoBatchedSerializer


def same(value: Any) -> Any:
    """Return a value unchanged."""
    return value


def merging(
    folder: str, join: Callable[[Any, Any], Any], finish: Callable[[Any], Any], memory: int
) -> Enter:
    """Return a function that begins a stage after a shuffle by merging values and parts by key.

    Parts are numbers of groups, with 8 bytes each. ``finish`` turns a merged value into the value
    of a record.
    """

    def join_both(one: tuple[Any, bytes], other: tuple[Any, bytes]) -> tuple[Any, bytes]:
        return join(one[0], other[0]), one[1] + other[1]

    def enter(split: int, records: Iterable[Any]) -> Positioned:
        found = _merged(records, join_both, memory)
        return Merged(folder, (((key, finish(value)), parts) for key, (value, parts) in found))

    return enter


def uniting(folder: str, memory: int) -> Enter:
    """Return a function that begins a stage after a shuffle by merging equal records."""
    return lambda split, records: Merged(folder, _merged(records, add, memory))


def _merged(
    pairs: Iterable[tuple[Any, Any]], join: Callable[[Any, Any], Any], memory: int
) -> Iterable[tuple[Any, Any]]:
    """Return the joined values of each key.

    Values that take more than ``memory`` megabytes are kept in files.
    """
    merger: Any = ExternalMerger(
        Aggregator(same, join, join), memory, _batched(CPickleSerializer())
    )
    merger.mergeCombiners(pairs)
    found: Iterable[tuple[Any, Any]] = merger.items()
    return found
