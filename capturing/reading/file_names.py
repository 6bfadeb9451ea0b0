"""The names of columns in files, and how Spark looks them up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from provhouse.model.errors import BadInput

Key = tuple[str, ...]


@dataclass(frozen=True)
class FileNames:
    """The rule by which the columns of a table are found in its files."""

    exact: bool = True
    """Whether names are case-sensitive: the value of ``spark.sql.caseSensitive``."""
    pairs: tuple[tuple[str, str], ...] = ()
    """Pairs of a column's names in the table and in the files; empty if all names are equal.

    The names differ in Delta tables with column mapping.
    """

    @classmethod
    def given(cls, exact: bool, in_files: Mapping[str, str]) -> "FileNames":
        """Return the names in a description; ``in_files`` maps table names to file names."""
        return cls(exact, tuple(in_files.items()))

    def of(self, key: Key, table: str) -> Key:
        """Return the names of a key's columns in files; raise BadInput if a column is unknown.

        If there are no ``pairs``, return the names unchanged, since then only the files list the
        columns.
        """
        if not self.pairs:
            return key
        known = [name for name, _ in self.pairs]
        return tuple(self.pairs[column_at(name, known, table, self.exact)][1] for name in key)

    def same(self, one: Key, other: Key) -> bool:
        """Return whether two keys consist of the same columns of a file."""
        return one == other or (not self.exact and _folded(one) == _folded(other))


EXACT_NAMES = FileNames()


def column_at(name: str, columns: Sequence[str], where: str, exact: bool) -> int:
    """Return the position of a column, found by Spark's rule.

    Raises BadInput unless exactly one column matches.
    """
    found = [at for at, each in enumerate(columns) if _is(name, each, exact)]
    if len(found) == 1:
        return found[0]
    several = "several columns" if found else "no column"
    raise BadInput(
        f"{where} has {several} {name}, which is declared as its key",
        f"Its columns are {', '.join(columns[:10])}",
        "Correct the key; a column whose values are in folder names cannot be part of it",
    )


def _is(name: str, column: str, exact: bool) -> bool:
    return name == column if exact else name.lower() == column.lower()


def _folded(key: Key) -> Key:
    return tuple(name.lower() for name in key)
