"""Combine the records of a task before a shuffle, and number the combined records.

Spark's Python workers run this module. A number is stored as a ``bytes`` object of 8 bytes, because
Python's garbage collector visits lists but not bytes.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from struct import Struct
from typing import Any, Protocol


class Combiner(Protocol):
    """A combiner of records that numbers its results from 0."""

    def __len__(self) -> int:
        """Return the number of results."""

    def add(self, records: Iterable[Any], numbers: list[int]) -> None:
        """Add records, and append the number of each record's result to ``numbers``."""

    def results(self, base: int) -> Iterator[tuple[Any, Any]]:
        """Yield the results, numbered from ``base``."""


class CombinedValues:
    """A combiner that merges the values of each key. A result is a key with a numbered value."""

    def __init__(self, create: Callable[[Any], Any], merge: Callable[[Any, Any], Any]) -> None:
        self._create, self._merge = create, merge
        self._numbers: dict[Any, int] = {}
        self._values: list[Any] = []

    def __len__(self) -> int:
        return len(self._values)

    def add(self, records: Iterable[Any], numbers: list[int]) -> None:
        """Add pairs of a key and a value, and append the number of each key to ``numbers``."""
        number_of, enter, values = self._numbers.setdefault, numbers.append, self._values
        create, merge, size = self._create, self._merge, len(values)
        for key, value in records:
            number = number_of(key, size)
            if number == size:
                values.append(create(value))
                size += 1
            else:
                values[number] = merge(values[number], value)
            enter(number)

    def results(self, base: int) -> Iterator[tuple[Any, tuple[Any, bytes]]]:
        """Yield pairs of a key and its numbered value."""
        numbers = _numbers(base, len(self))
        return zip(self._numbers, zip(self._values, numbers, strict=True), strict=True)


class CombinedRecords:
    """A combiner that keeps one of several equal records. A result is a record with its number."""

    def __init__(self) -> None:
        self._numbers = defaultdict[Any, int](count().__next__)

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, records: Iterable[Any], numbers: list[int]) -> None:
        """Add records, and append the number of each record's result to ``numbers``."""
        numbers.extend(map(self._numbers.__getitem__, records))

    def results(self, base: int) -> Iterator[tuple[Any, bytes]]:
        """Yield pairs of a record and its number."""
        return zip(self._numbers, _numbers(base, len(self)), strict=True)


def _numbers(base: int, size: int) -> Iterator[bytes]:
    return map(Struct("=q").pack, range(base, base + size))
