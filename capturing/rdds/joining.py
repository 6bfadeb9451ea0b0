"""Join records with equal keys; Spark's Python workers run this module."""

from collections.abc import Callable, Iterable, Iterator
from struct import Struct
from typing import Any

from pyspark.resultiterable import ResultIterable

from provhouse.model.associations import NONE

from .entering import Merged, Positioned

Slots = Any
"""The ids that a record carries: a number, or a tuple of several numbers."""
Joined = Iterator[tuple[tuple[Any, Any], Slots]]


def both(left: int, right: int) -> Callable[[Slots, Slots], tuple[int, ...]]:
    """Return a function that concatenates slots of the given widths."""
    if left == 1 and right == 1:
        return lambda one, other: (one, other)
    if left == 1:
        return lambda one, other: (one, *other)
    if right == 1:
        return lambda one, other: (*one, other)
    return lambda one, other: (*one, *other)


def nothing(width: int) -> Slots:
    """Return the slots of a record that is missing."""
    return NONE if width == 1 else (NONE,) * width


def side(number: int) -> Callable[[Any], Any]:
    """Return a function that turns ((key, value), slots) into (key, (number, value, slots))."""
    return lambda tagged: (tagged[0][0], (number, tagged[0][1], tagged[1]))


def sides(values: Iterable[Any], count: int) -> list[list[tuple[Any, Slots]]]:
    """Return a list for each side, with the values that a key has on this side and their slots."""
    found: list[list[tuple[Any, Slots]]] = [[] for _ in range(count)]
    for number, value, slots in values:
        found[number].append((value, slots))
    return found


def joining(
    left: int, right: int, outer_left: bool, outer_right: bool
) -> Callable[[Iterable[Any]], Joined]:
    """Return a function that joins the two sides of each key in a partition.

    ``left`` and ``right`` are the numbers of slots on the two sides. ``outer_left`` keeps records
    on the left that have no partner on the right; ``outer_right`` keeps records on the right that
    have no partner on the left.
    """
    together = both(left, right)
    no_left, no_right = [(None, nothing(left))], [(None, nothing(right))]

    def joined(groups: Iterable[Any]) -> Joined:
        for key, values in groups:
            ones, others = sides(values, 2)
            if not others and outer_left:
                others = no_right
            if not ones and outer_right:
                ones = no_left
            for one, one_slots in ones:
                for other, other_slots in others:
                    yield (key, (one, other)), together(one_slots, other_slots)

    return joined


def without(groups: Iterable[Any]) -> Joined:
    """Yield the records on the left whose key is missing on the right."""
    for key, values in groups:
        ones, others = sides(values, 2)
        if not others:
            for one, slots in ones:
                yield (key, one), slots


def gathering(folder: str, widths: list[int]) -> Callable[[int, Iterable[Any]], Positioned]:
    """Return a function that begins a stage with each key and its values from several sides.

    ``widths`` has the number of slots on each side.
    """
    width, count = sum(widths), len(widths)
    before = [(NONE,) * sum(widths[:at]) for at in range(count)]
    after = [(NONE,) * sum(widths[at + 1 :]) for at in range(count)]

    def gathered(groups: Iterable[Any]) -> Iterator[tuple[Any, bytes]]:
        pack = Struct(f"={width}q").pack
        for key, values in groups:
            found = sides(values, count)
            lists = tuple(ResultIterable([value for value, _ in each]) for each in found)
            parts = [
                pack(*before[at], *((slots,) if widths[at] == 1 else slots), *after[at])
                for at, each in enumerate(found)
                for _, slots in each
            ]
            yield (key, lists), b"".join(parts)

    return lambda split, groups: Merged(folder, gathered(groups), width)
