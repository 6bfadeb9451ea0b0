"""Combine the records of a task before a shuffle, and number what comes out of it.

Spark's Python workers run this. A number is 8 bytes: Python's garbage collector looks at each list,
but not at bytes.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from struct import Struct
from typing import Any, Protocol


class Combiner(Protocol):
    """Combines records, and numbers the results from 0 on."""

    def __len__(self) -> int:
        """Return the number of results."""

    def add(self, records: Iterable[Any], numbers: list[int]) -> None:
        """Add records, and append to ``numbers`` the result that each becomes a part of."""

    def results(self, base: int) -> Iterator[tuple[Any, Any]]:
        """Yield the results; their numbers begin with ``base``."""


class CombinedValues:
    """Merges the values of each key; a result is a key with its value and number."""

    def __init__(self, create: Callable[[Any], Any], merge: Callable[[Any, Any], Any]) -> None:
        self._create, self._merge = create, merge
        self._numbers: dict[Any, int] = {}
        self._values: list[Any] = []

    def __len__(self) -> int:
        return len(self._values)

    def add(self, records: Iterable[Any], numbers: list[int]) -> None:
        """Add pairs of a key and a value."""
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
        """Yield pairs of a key, and its value with its number."""
        numbers = _numbers(base, len(self))
        return zip(self._numbers, zip(self._values, numbers, strict=True), strict=True)


class CombinedRecords:
    """Keeps one of records that are equal; a result is a record with its number."""

    def __init__(self) -> None:
        self._numbers = defaultdict[Any, int](count().__next__)

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, records: Iterable[Any], numbers: list[int]) -> None:
        """Add records."""
        numbers.extend(map(self._numbers.__getitem__, records))

    def results(self, base: int) -> Iterator[tuple[Any, bytes]]:
        """Yield pairs of a record and its number."""
        return zip(self._numbers, _numbers(base, len(self)), strict=True)


def _numbers(base: int, size: int) -> Iterator[bytes]:
    return map(Struct("=q").pack, range(base, base + size))
