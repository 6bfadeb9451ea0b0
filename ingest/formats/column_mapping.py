"""Which column of a file is which: by name, by ``--map``, and the one of ``--scope``."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from provhouse.model.columns import DST, DST_TABLE, OP, SRC, SRC_TABLE
from provhouse.model.errors import BadInput, UsageError

KNOWN = (SRC, DST, OP, SRC_TABLE, DST_TABLE)


@dataclass(frozen=True)
class Columns:
    """What the columns of all files of an ingest are called."""

    mapped: tuple[tuple[str, str], ...] = ()
    """A known name and the column that is read for it."""
    scope: str | None = None
    """The column whose value stands in front of names, which are unique only within it."""

    @cached_property
    def read_for(self) -> tuple[tuple[str, str], ...]:
        """Each known name and the column that is read for it, if the file has that one."""
        named, taken = dict(self.mapped), {column for _, column in self.mapped}
        own = {name: name for name in KNOWN if name not in taken}
        both = {**own, **named}
        return tuple((name, both[name]) for name in KNOWN if name in both)

    @cached_property
    def taken(self) -> frozenset[str]:
        """The columns that are read for known names; all others are attributes."""
        return frozenset(column for _, column in self.read_for)

    def meaning(self, column: str) -> tuple[str, ...]:
        """What a column is understood as: known names, ``scope``, or ``attribute``."""
        known = tuple(name for name, read in self.read_for if read == column)
        scope = ("scope",) if column == self.scope else ()
        return known or (*scope, "attribute")

    @cached_property
    def reserved(self) -> frozenset[str]:
        """Known names for which another column is read, so that none may be called so."""
        return frozenset(name for name, _ in self.mapped) - self.taken

    def check(self, place: str, there: Sequence[str]) -> None:
        """Raise BadInput unless the columns are there that are needed, each once."""
        for name, column in self.mapped:
            if column not in there:
                raise _absent(place, there, column, f"--map takes for {name}")
        if self.scope is not None and self.scope not in there:
            raise _absent(place, there, self.scope, "--scope names")
        found = {name for name, column in self.read_for if column in there}
        missing = [name for name in (SRC, DST) if name not in found]
        if missing:
            raise BadInput(
                f"{place} should name the columns src and dst",
                f"It has no {' and no '.join(missing)}: {listed(there) or 'it is empty'}",
                "Say with --map which columns they are, or name the file that was meant",
            )
        twice = sorted({column for column in there if there.count(column) > 1})
        if twice:
            raise BadInput(
                f"{place} should name each column once",
                f"It names {listed(twice)} more than once",
                "Rename or drop one of them",
            )
        self.check_free(place, there)

    def check_free(self, place: str, there: Iterable[str]) -> None:
        """Raise BadInput if a column has the known name that ``--map`` gives to another one."""
        for column in self.reserved.intersection(there):
            raise BadInput(
                f"{place} should have no column {column} beside {dict(self.mapped)[column]}",
                f"--map takes the latter for {column}, and what the former is nobody says",
                f"Map {column} too, or drop it from the file",
            )


AS_NAMED = Columns()


def columns_of(maps: Sequence[str], scope: str | None) -> Columns:
    """What ``--map src=COLUMN,…`` and ``--scope COLUMN`` say; raises UsageError for nonsense."""
    mapped: dict[str, str] = {}
    for part in [part for text in maps for part in re.split(r",(?=\w+=)", text)]:
        name, equals, column = part.partition("=")
        if name not in KNOWN or not equals or not column or name in mapped:
            raise UsageError(
                f"--map should say once which column is which, for {', '.join(KNOWN)}",
                f"It says {part!r}{' too' if name in mapped else ''}",
                "Write --map src=COLUMN,dst=COLUMN",
            )
        mapped[name] = column
    columns = Columns(tuple(mapped.items()), scope)
    if scope is not None and scope in columns.taken:
        raise UsageError(
            "--scope should name a column that is an attribute, such as a run",
            f"{scope} is read for a name, an op or a table",
            "Name another column",
        )
    return columns


def listed(columns: Sequence[str], most: int = 20) -> str:
    """Names in a sentence, not too many of them."""
    more = f" and {len(columns) - most:,} more" if len(columns) > most else ""
    return ", ".join(columns[:most]) + more


def _absent(place: str, there: Sequence[str], column: str, why: str) -> BadInput:
    return BadInput(
        f"{place} should have the column {column}, which {why}",
        f"It has {listed(there) or 'no column at all'}",
        "Check the name, or take in files of other columns by another command",
    )
