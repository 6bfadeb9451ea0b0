"""Find out what each column of a file means, from its name, ``--map`` and ``--scope``."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from provhouse.model.columns import DST, DST_TABLE, OP, SRC, SRC_TABLE
from provhouse.model.errors import BadInput, UsageError

KNOWN = (SRC, DST, OP, SRC_TABLE, DST_TABLE)


@dataclass(frozen=True)
class Columns:
    """The meaning of column names, which is the same in all files of an ingest."""

    mapped: tuple[tuple[str, str], ...] = ()
    """Pairs of a known name and the column that is read for it."""
    scope: str | None = None
    """The column whose value is put before each name, if names are unique only together with it."""

    @cached_property
    def read_for(self) -> tuple[tuple[str, str], ...]:
        """Pairs of a known name and the column that is read for it, if the file has that column."""
        named, taken = dict(self.mapped), {column for _, column in self.mapped}
        own = {name: name for name in KNOWN if name not in taken}
        both = {**own, **named}
        return tuple((name, both[name]) for name in KNOWN if name in both)

    @cached_property
    def taken(self) -> frozenset[str]:
        """The columns that are read for known names; every other column is an attribute."""
        return frozenset(column for _, column in self.read_for)

    def meaning(self, column: str) -> tuple[str, ...]:
        """Return what a column is read as: known names, ``scope``, or ``attribute``."""
        known = tuple(name for name, read in self.read_for if read == column)
        scope = ("scope",) if column == self.scope else ()
        return known or (*scope, "attribute")

    @cached_property
    def reserved(self) -> frozenset[str]:
        """Known names that ``--map`` gives to other columns; no column of a file may have them."""
        return frozenset(name for name, _ in self.mapped) - self.taken

    def check(self, place: str, present: Sequence[str]) -> None:
        """Raise BadInput if a needed column is missing or a column name is repeated."""
        for name, column in self.mapped:
            if column not in present:
                raise _absent(place, present, column, f"--map reads as {name}")
        if self.scope is not None and self.scope not in present:
            raise _absent(place, present, self.scope, "--scope names")
        found = {name for name, column in self.read_for if column in present}
        missing = [name for name in (SRC, DST) if name not in found]
        if missing:
            raise BadInput(
                f"{place}: no column {' and no column '.join(missing)}",
                f"The columns are {listed(present)}" if present else "It is empty",
                "Name the columns with --map, or choose another file",
            )
        twice = sorted({column for column in present if present.count(column) > 1})
        if twice:
            raise BadInput(
                f"{place}: column names are repeated",
                f"Found more than once: {listed(twice)}",
                "Rename or drop one of them",
            )
        self.check_free(place, present)

    def check_free(self, place: str, present: Iterable[str]) -> None:
        """Raise BadInput if a column has a known name that ``--map`` gives to another column."""
        for column in self.reserved.intersection(present):
            raise BadInput(
                f"{place}: the column {column} has no known meaning",
                f"--map reads the column {dict(self.mapped)[column]} as {column}",
                f"Map {column} too, or drop it from the file",
            )


AS_NAMED = Columns()


def columns_of(maps: Sequence[str], scope: str | None) -> Columns:
    """Return the columns that ``--map src=COLUMN,…`` and ``--scope COLUMN`` describe.

    Raises UsageError if they contradict each other or name no known column.
    """
    mapped: dict[str, str] = {}
    for part in [part for text in maps for part in re.split(r",(?=\w+=)", text)]:
        name, equals, column = part.partition("=")
        if name not in KNOWN or not equals or not column or name in mapped:
            raise UsageError(
                f"--map does not accept {part!r}",
                f"{name} is mapped twice" if name in mapped else f"Names are {', '.join(KNOWN)}",
                "Write --map src=COLUMN,dst=COLUMN",
            )
        mapped[name] = column
    columns = Columns(tuple(mapped.items()), scope)
    if scope is not None and scope in columns.taken:
        raise UsageError(
            f"--scope does not accept {scope}",
            "It is read as a name, an op or a table",
            "Name a column that is an attribute, such as a run",
        )
    return columns


def listed(columns: Sequence[str], most: int = 20) -> str:
    """Return at most ``most`` names as a list for a sentence, and how many more there are."""
    more = f" and {len(columns) - most:,} more" if len(columns) > most else ""
    return ", ".join(columns[:most]) + more


def _absent(place: str, present: Sequence[str], column: str, why: str) -> BadInput:
    return BadInput(
        f"{place}: no column {column}, which {why}",
        f"The columns are {listed(present)}" if present else "There are no columns",
        "Check the name, or ingest files with other columns by another command",
    )
