"""The names that columns have in files, as Spark finds them there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from provhouse.model.errors import BadInput

Key = tuple[str, ...]


@dataclass(frozen=True)
class FileNames:
    """The rule by which a job finds the columns of a table in its files."""

    exact: bool = True
    """Whether case counts, as ``spark.sql.caseSensitive`` says."""
    pairs: tuple[tuple[str, str], ...] = ()
    """The name of each column in the table and in the files; empty if none differ.

    They differ in Delta tables with column mapping.
    """

    @classmethod
    def given(cls, exact: bool, in_files: Mapping[str, str]) -> "FileNames":
        """Return the names that a description gives, in files by those in the table."""
        return cls(exact, tuple(in_files.items()))

    def of(self, key: Key, table: str) -> Key:
        """Return the names in files of the columns of a key; raise BadInput if one is unknown.

        Without pairs, the names stay as they are: only the files have the columns.
        """
        if not self.pairs:
            return key
        known = [name for name, _ in self.pairs]
        return tuple(self.pairs[column_at(name, known, table, self.exact)][1] for name in key)

    def same(self, one: Key, other: Key) -> bool:
        """Return whether two keys have the same columns of a file."""
        return one == other or (not self.exact and _folded(one) == _folded(other))


EXACT_NAMES = FileNames()


def column_at(name: str, columns: Sequence[str], where: str, exact: bool) -> int:
    """Return the position of a column as Spark finds it; raise BadInput unless there is one."""
    found = [at for at, each in enumerate(columns) if _is(name, each, exact)]
    if len(found) == 1:
        return found[0]
    several = "several columns" if found else "no column"
    raise BadInput(
        f"{where} has {several} {name}, which is declared as its key",
        f"Its columns are {', '.join(columns[:10])}",
        "Correct the key; a column that only the folder's name has cannot be one",
    )


def _is(name: str, column: str, exact: bool) -> bool:
    return name == column if exact else name.lower() == column.lower()


def _folded(key: Key) -> Key:
    return tuple(name.lower() for name in key)
