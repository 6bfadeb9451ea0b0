"""Determine the meaning of each column of a file from its name, ``--map`` and ``--scope``."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

from provhouse.model.columns import (
    DERIVATION,
    DESCRIBING,
    DST,
    DST_ID,
    DST_TABLE,
    OP,
    OP_KIND,
    SHARED,
    SRC,
    SRC_ID,
    SRC_TABLE,
)
from provhouse.model.errors import BadInput, UsageError

KNOWN = (SRC, DST, OP, SRC_TABLE, DST_TABLE)
ID_OF = {SRC: SRC_ID, DST: DST_ID}
"""For each end of a triple, the column that identifies it by an id in a table, not by a name."""
TABLE_OF = {SRC: SRC_TABLE, DST: DST_TABLE}
"""For each end of a triple, the column with the table of the end."""
CONSTANTS = (SRC_TABLE, DST_TABLE, OP)
"""The known names whose value an option can set for all rows, instead of reading a column."""
_DESCRIBING = (*DESCRIBING, SHARED)
_MAPPABLE = (*KNOWN, *ID_OF.values(), *_DESCRIBING)
_MARKS = (DERIVATION, OP_KIND)
"""The column names that mark a file as describing derivations.

In a file with neither of these columns, the columns of ``_DESCRIBING`` are attributes unless
mapped.
"""


@dataclass(frozen=True)
class ColumnNames:
    """The meaning of each column name, in all files of an ingest."""

    mapped: tuple[tuple[str, str], ...] = ()
    """Pairs from ``--map``: a known name, such as ``src``, and the column to read as this name."""
    scope: str | None = None
    """The column whose value is put before each name in the same row.

    It is used for files in which the names alone are not unique.
    """
    describes: bool = False
    """Whether all names in ``_DESCRIBING`` are known names.

    If not, only the names in ``_DESCRIBING`` that ``mapped`` contains are known names.
    """
    by_id: tuple[str, ...] = ()
    """The ends, ``src`` or ``dst``, that are identified by ids from a column in ``ID_OF``.

    Other ends are identified by names.
    """
    nulls: frozenset[str] = frozenset()
    """Strings from ``--null`` that stand for a missing value in every column."""
    constants: tuple[tuple[str, str], ...] = ()
    """Pairs of a name in ``CONSTANTS`` and the value that an option sets for it in every row."""

    def of(self, present: Collection[str]) -> "ColumnNames":
        """Return the meaning of each column name in a file whose columns are ``present``."""
        marked = not self.marks.isdisjoint(present)
        by_id = tuple(end for end in ID_OF if self._has_id(end, present))
        if (marked, by_id) == (self.describes, self.by_id):
            return self
        return replace(self, describes=marked, by_id=by_id)

    def _has_id(self, end: str, present: Collection[str]) -> bool:
        """Return whether a file identifies an end by id.

        If a file has a column with the end's name, it does not identify the end by id, unless
        ``--map`` names a column of ids, which is always read.
        """
        mapped, taken = dict(self.mapped), {column for _, column in self.mapped}
        if ID_OF[end] in mapped:
            return True
        named = mapped.get(end) or (end if end not in taken else None)
        return named not in present and ID_OF[end] in present and ID_OF[end] not in taken

    @cached_property
    def marks(self) -> frozenset[str]:
        """The columns that mark a file as describing derivations, if it has any of them."""
        read = (dict(self.mapped).get(name, name) for name in _MARKS)
        return frozenset(read) - {column for name, column in self.mapped if name not in _MARKS}

    @cached_property
    def _names(self) -> tuple[str, ...]:
        mapped, constant = {name for name, _ in self.mapped}, dict(self.constants)
        ends = (ID_OF[name] if name in self.by_id else name for name in KNOWN)
        known = (name for name in ends if name not in constant)
        return (*known, *(name for name in _DESCRIBING if self.describes or name in mapped))

    @cached_property
    def read_for(self) -> tuple[tuple[str, str], ...]:
        """Pairs of a known name, such as ``src``, and the column that is read as this name.

        A file may lack the column.
        """
        named, taken = dict(self.mapped), {column for _, column in self.mapped}
        own = {name: name for name in self._names if name not in taken}
        both = {**own, **named}
        return tuple((name, both[name]) for name in self._names if name in both)

    @cached_property
    def taken(self) -> frozenset[str]:
        """The columns that are read as known names; every other column is an attribute."""
        return frozenset(column for _, column in self.read_for)

    def meaning(self, column: str) -> tuple[str, ...]:
        """Return the meaning of a column: known names, ``attribute``, or ``scope, attribute``."""
        known = tuple(name for name, read in self.read_for if read == column)
        scope = ("scope",) if column == self.scope else ()
        return known or (*scope, "attribute")

    @cached_property
    def reserved(self) -> frozenset[str]:
        """Known names that no column may have, because options set or map them differently."""
        mapped = {name for name, _ in (*self.mapped, *self.constants)}
        ends = {end for end, column in ID_OF.items() if column in mapped}
        return frozenset(mapped | ends) - self.taken

    def check(self, place: str, present: Sequence[str]) -> None:
        """Raise BadInput if a required column is missing, or a name is repeated or reserved."""
        for name, column in self.mapped:
            if column not in present:
                raise _absent(place, present, column, f"--map reads as {name}")
        if self.scope is not None and self.scope not in present:
            raise _absent(place, present, self.scope, "--scope names")
        columns = self.of(present)
        found = {name for name, column in columns.read_for if column in present}
        found |= {name for name, _ in self.constants}
        missing = [end for end in ID_OF if end not in found and end not in columns.by_id]
        missing += [TABLE_OF[end] for end in columns.by_id if TABLE_OF[end] not in found]
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
        columns.check_free(place, present)

    def check_free(self, place: str, present: Iterable[str]) -> None:
        """Raise BadInput if a column has a known name whose value an option sets or maps."""
        for column in self.reserved.intersection(present):
            name = column if column in dict((*self.mapped, *self.constants)) else ID_OF[column]
            raise BadInput(
                f"{place}: the column {column} has no known meaning",
                f"{option_of(name)} sets {name} in every row"
                if name in dict(self.constants)
                else f"--map reads the column {dict(self.mapped)[name]} as {name}",
                f"Map {column} too, or drop it from the file",
            )


AS_NAMED = ColumnNames()


def columns_of(maps: Sequence[str], scope: str | None) -> ColumnNames:
    """Return the columns that ``--map src=COLUMN,…`` and ``--scope COLUMN`` describe.

    Raises UsageError if the arguments contradict each other, or name an unknown column.
    """
    return mapped_columns(columns_by_name(maps), scope)


def columns_by_name(maps: Sequence[str]) -> dict[str, str]:
    """Return, for each known name in ``--map src=COLUMN,…``, the column that it is mapped to.

    Raises UsageError for a name that is unknown or mapped twice.
    """
    mapped: dict[str, str] = {}
    for part in [part for text in maps for part in re.split(r",(?=\w+=)", text)]:
        name, equals, column = part.partition("=")
        if name not in _MAPPABLE or not equals or not column or name in mapped:
            raise UsageError(
                f"--map does not accept {part!r}",
                f"{name} is mapped twice"
                if name in mapped
                else f"Names are {', '.join(_MAPPABLE)}",
                "Write --map src=COLUMN,dst=COLUMN",
            )
        mapped[name] = column
    return mapped


def option_of(name: str) -> str:
    """Return the command-line option that sets the value of a known name in every row."""
    return f"--{name.replace('_', '-')}"


def mapped_columns(
    mapped: Mapping[str, str],
    scope: str | None,
    nulls: Collection[str] = (),
    constants: Mapping[str, str] = MappingProxyType({}),
) -> ColumnNames:
    """Return ``ColumnNames`` with the given mapping, scope, null strings and constants.

    Raises UsageError if the arguments contradict each other, or name an unknown column.
    """
    if unknown := sorted(mapped.keys() - set(_MAPPABLE)):
        raise UsageError(
            f"There is no known column {unknown[0]!r}",
            f"The known columns are {', '.join(_MAPPABLE)}",
            "Map one of these to a column of the data",
        )
    for end, by_id in ID_OF.items():
        if {end, by_id} <= mapped.keys():
            raise UsageError(
                f"{end} and {by_id} are both mapped",
                "An item has either a name or an id within its table",
                "Map one of them",
            )
    for text in nulls:
        if text.encode(errors="replace").decode() != text:
            raise UsageError("A string for missing values is not UTF-8", f"It is {text!r}")
    _check_constants(constants, mapped)
    columns = ColumnNames(
        tuple(mapped.items()), scope, nulls=frozenset(nulls), constants=tuple(constants.items())
    )
    if scope is not None and (scope in columns.taken or scope in mapped.values()):
        raise UsageError(
            f"--scope does not accept {scope}",
            "provhouse reads it as a name, an op or a table",
            "Name a column that is an attribute, such as the id of a run",
        )
    return columns


def _check_constants(constants: Mapping[str, str], mapped: Mapping[str, str]) -> None:
    """Raise UsageError for a constant that is unknown, mapped too, empty, or not valid UTF-8."""
    for name, value in constants.items():
        if name not in CONSTANTS:
            found = f"The names with a constant are {', '.join(CONSTANTS)}"
        elif name in mapped:
            found = f"--map reads the column {mapped[name]} as {name}"
        elif not value or value.encode(errors="replace").decode() != value:
            found = f"It is {value!r}" if value else "It is empty"
        else:
            continue
        raise UsageError(
            f"{option_of(name)} does not accept its value",
            found,
            "Give a string that is the same in every row, or name a column with --map",
        )


def listed(columns: Sequence[str], most: int = 20) -> str:
    """List up to ``most`` column names for a sentence, then the number of further columns."""
    more = f" and {len(columns) - most:,} more" if len(columns) > most else ""
    return ", ".join(columns[:most]) + more


def _absent(place: str, present: Sequence[str], column: str, why: str) -> BadInput:
    return BadInput(
        f"{place}: no column {column}, which {why}",
        f"The columns are {listed(present)}" if present else "There are no columns",
        "Check the name, or ingest files with other columns in a separate command",
    )
