"""Keys that a program's function computes from records; Spark's Python workers run this module."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np

from provhouse.model.associations import ROW_BITS

from .association_file import AssociationFile
from .entering import blocks

KeyOf = Callable[[Any], object]
"""A function that returns a record's key: an integer, a string or a date, or a tuple of these."""


@dataclass(frozen=True)
class Key:
    """The declared key of a table."""

    name: str
    of: KeyOf

    def of_written(self, unit: str) -> KeyOf:
        """Return the key function for written records, which are bytes if ``unit`` is ``lines``."""
        of = self.of
        return (lambda line: of(line.decode("utf-8"))) if unit == "lines" else of


def text_of(key: object) -> str | None:
    """Return a key as a string, as in the names of items and in data frames; None stays None.

    Raises TypeError if the key is not an integer, a string or a date, or a tuple of these.
    """
    if isinstance(key, tuple):
        parts = [text_of(each) for each in key]
        return None if None in parts else "/".join(map(str, parts))
    if key is None:
        return None
    if not isinstance(key, int | str | date) or isinstance(key, bool | datetime):
        raise TypeError(
            f"The key {key!r} of a record is a {type(key).__name__}. Give an integer, a string or a"
            " date, or a tuple of these"
        )
    return str(key)


def with_keys(rows: Iterable[Any], key: KeyOf, folder: str, first: int, file: int) -> Iterator[Any]:
    """Yield the rows of a file part, and write their ids and keys to a folder.

    ``first`` is the id of the first row, and ``file`` is the file's position among the source's
    files.
    """
    written, count = AssociationFile(folder, 2), 0
    written.reserve()
    for block in blocks(rows):
        keys = list[str | None]()
        for row in block:
            keys.append(text_of(key(row)))
            yield row
        ids = np.arange(len(keys)) + (first + count)
        written.write([ids, np.full(len(keys), file << ROW_BITS)], keys)
        count += len(keys)
    written.close(keep=True)
