"""Merge what tasks have combined, after a shuffle; Spark's Python workers run this."""

from collections.abc import Callable, Iterable
from typing import Any

from pyspark.serializers import AutoBatchedSerializer, CPickleSerializer
from pyspark.shuffle import Aggregator, ExternalMerger

from .entering import Entering, Merged

_batched: Any = AutoBatchedSerializer


def same(value: Any) -> Any:
    """Return a value as it is."""
    return value


def merging(
    folder: str,
    join: Callable[[Any, Any], Any],
    finish: Callable[[Any], Any],
    memory: int,
) -> Callable[[int, Iterable[Any]], Entering]:
    """Return how a stage begins after a shuffle: it merges pairs of a value and keys of groups.

    Beyond ``memory`` megabytes, groups go to files, as Spark's own do. ``finish`` makes a record's
    value of a merged one.
    """

    def join_both(one: tuple[Any, list[int]], other: tuple[Any, list[int]]) -> Any:
        one[1].extend(other[1])
        return join(one[0], other[0]), one[1]

    def enter(split: int, records: Iterable[Any]) -> Entering:
        merger: Any = ExternalMerger(
            Aggregator(same, join_both, join_both),
            memory,
            _batched(CPickleSerializer()),
        )
        merger.mergeCombiners(records)
        found = ((key, (finish(value), parts)) for key, (value, parts) in merger.items())
        return Merged(folder, merger.items() if finish is same else found)

    return enter
