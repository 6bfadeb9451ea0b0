"""Tables and files that statements with lineage have created, and links back from their rows.

Links connect the rows of states of tables. A state ends when row numbers may have changed, as after
UPDATE, or when the table is replaced. Links between earlier states are kept. So a table's rows can
be followed to the tables behind it, even through tables that no longer exist.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import duckdb
import numpy as np
from sqlglot import exp
from sqlglot.errors import SqlglotError

from provhouse.model.errors import UsageError
from provhouse.sql.catalog import TablePlace
from provhouse.sql.dialect import read

from .index.rid_indexes import Chain, Rows, reordered, together
from .table_sources import FileVersion, ReadSource

if TYPE_CHECKING:
    from .tables import Tables

_TYPE = duckdb.StatementType
KEEPING = {
    _TYPE.SELECT, _TYPE.CREATE, _TYPE.CREATE_FUNC, _TYPE.DROP, _TYPE.ATTACH, _TYPE.SET,
    _TYPE.VARIABLE_SET, _TYPE.LOAD, _TYPE.TRANSACTION, _TYPE.PREPARE, _TYPE.COPY,
}  # fmt: skip
"""The statement types that keep all existing rows and row numbers, though they may add rows."""


class MadeVersion(NamedTuple):
    """A table between two changes of its rows or row numbers. Adding rows keeps the version."""

    key: TablePlace
    """The full name of the table, in lower case."""
    number: int
    """DuckDB's ID of the table. If the table is replaced, the new table has a different ID."""
    changes: int


@dataclass(frozen=True)
class State:
    """A version of a table, and its number of rows and largest rid at one time."""

    place: TablePlace
    version: MadeVersion
    rows: int
    end: int
    """One more than the largest rid."""
    outside: tuple[int, ...]
    """Values that change when another connection changes tables; empty if no other is open."""

    def became(self, later: "State") -> bool:
        """Return whether all rows of this state have the same rids and values in a later state."""
        if (later.version, later.outside[2:]) != (self.version, self.outside[2:]):
            return False
        if self.rows == self.end:  # without gaps, DuckDB moves no row
            return later.rows == later.end and later.rows >= self.rows
        return (later.rows, later.end) == (self.rows, self.end)


@dataclass(eq=False)
class Made:
    """The rows that one statement stored, and their links to the tables that the statement read."""

    rows: int
    sources: list[tuple[State, list[Chain]]]
    first: int = 0
    """The rid of the first row."""
    reader: str = ""
    """The function that must have read a file of these rows without options; empty if any may.

    With other options, the records of a CSV file may be other rows.
    """

    def reordered(self, order: Rows | None) -> "Made":
        """Return the same rows and links in another order; None keeps the order."""
        if order is None:
            return self
        sources = [(state, [reordered(each, order) for each in of]) for state, of in self.sources]
        return replace(self, sources=sources)

    def is_read_by(self, source: ReadSource | None) -> bool:
        """Return whether a file of these rows was read so that its records are these rows."""
        return not self.reader or (source is not None and source.reader == self.reader)

    def within(self, rids: Rows) -> Rows:
        """Return the positions of the given rids among the rows that the statement stored.

        Other rids are dropped.
        """
        low, high = np.searchsorted(rids, [self.first, self.first + self.rows])
        return rids[low:high] - self.first

    @property
    def size(self) -> int:
        """The size of the links in bytes."""
        return sum(chain.size for chain in self._chains())

    @property
    def resident(self) -> int:
        """The number of bytes of ``size`` that are in memory, not in files."""
        return sum(chain.resident for chain in self._chains())

    def spill(self, folder: Path) -> None:
        """Move the links to files in a folder."""
        for link in (link for chain in self._chains() for link in chain.links):
            link.spill(folder)

    def _chains(self) -> Iterator[Chain]:
        for _, chains in self.sources:
            yield from chains


class LinkedRows(Protocol):
    """The rows of a query's result, with links to the tables that the query reads."""

    @property
    def tables(self) -> Sequence[TablePlace]:
        """The tables that the query reads."""

    def __len__(self) -> int:
        """Return the number of rows."""

    def chains(self, place: TablePlace) -> list[Chain]:
        """Return the links to a table, one chain for each use of the table."""


class MadeTables:
    """The rows stored by one connection's statements with lineage, and the states of tables."""

    def __init__(self, con: "Tables") -> None:
        self._con = con
        self._changes = Counter[TablePlace]()
        self._made: dict[MadeVersion, tuple[State, list[Made]]] = {}
        self._files: dict[FileVersion, Made] = {}

    def forget(self) -> None:
        """End the lineage of all tables, since their rows may have changed."""
        self._changes.update({version.key for version in self._made} | self._sources())

    def _sources(self) -> set[TablePlace]:
        stored = [
            *self._files.values(),
            *(made for _, found in self._made.values() for made in found),
        ]
        return {state.version.key for made in stored for state, _ in made.sources}

    def note(self, statements: Sequence[duckdb.Statement]) -> None:
        """End the lineage that the given statements, which are about to run, may make wrong."""
        for statement in statements if self._made or self._files else ():
            if statement.type in KEEPING:
                continue
            changed = self._changed_by(statement.query)
            if changed is None:
                self.forget()
            else:
                self._changes.update(map(_key, changed))

    def _changed_by(self, text: str) -> list[TablePlace] | None:
        """Return the tables whose rows or row numbers a statement changes; None if unknown."""
        try:
            (tree,) = read(text)
        except (SqlglotError, ValueError):
            return None
        replacing = tree.args.get("conflict") or tree.args.get("alternative")
        if isinstance(tree, exp.Insert) and not replacing:
            return []
        if not isinstance(tree, (exp.Insert, exp.Update, exp.Delete, exp.Alter)):
            return None
        table = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
        found = self._con.catalog().find(table) if isinstance(table, exp.Table) else None
        return [found.place] if found else None

    def state(self, place: TablePlace) -> State:
        """Return a table's current state; begin a new version if its row numbers have changed."""
        now = self._measured(place)
        then, _ = self._made.get(now.version, (now, []))
        if not then.became(now):
            self._changes[now.version.key] += 1
            return self._measured(place)
        source = self._con.source(place)
        found = self._files.get(source.version) if source else None
        if found and found.is_read_by(source) and now.rows == now.end == found.rows:
            self._made[now.version] = now, [found]
        return now

    def _measured(self, place: TablePlace) -> State:
        key = _key(place)
        version = MadeVersion(key, self._con.number(place), self._changes[key])
        if not version.number:
            return State(place, version, 0, 0, ())
        (outside,) = self._con.states([place]) or [()]
        return State(place, version, *self._con.extent(place), outside)

    def of(self, place: TablePlace) -> list[Made]:
        """Return the rows that statements stored in a table, if they are still unchanged."""
        return self._then(self.state(place)) if self._made or self._files else []

    def _then(self, state: State) -> list[Made]:
        _, found = self._made.get(state.version, (state, []))
        return found

    def links(self, result: LinkedRows) -> Made:
        """Return the links from a query's rows to its tables, in the tables' current state."""
        places = dict.fromkeys(result.tables)
        return Made(len(result), [(self.state(place), result.chains(place)) for place in places])

    def add(self, place: TablePlace, first: int, made: Made, before: list[Made]) -> None:
        """Record that a statement has stored rows in a table, beginning with the rid ``first``.

        ``before`` are the rows that earlier statements stored in the table.
        """
        made.first = first
        state = self._measured(place)
        self._made[state.version] = state, [*before, made]
        self._con.memory.used(made)

    def add_file(self, version: FileVersion, made: Made) -> None:
        """Record the rows that a statement has stored in a file."""
        self._files[version] = made
        self._con.memory.used(made)

    def behind(self, places: Iterable[TablePlace]) -> list[State]:
        """Return the states of all tables behind the tables ``places``, the nearest first."""
        found: dict[State, None] = {}
        left = [made for place in dict.fromkeys(places) for made in self.of(place)]
        for made in left:  # grows
            for state, _ in made.sources:
                found.setdefault(state)
                left += [each for each in self._then(state) if each not in left]
        return list(found)

    def back(self, place: TablePlace, rids: Rows, to: Collection[State]) -> Rows:
        """Return the records in the states ``to`` from which the records ``rids`` were made.

        Raises UsageError if statements without lineage stored some of the records, or if one of the
        states has ended.
        """
        return self._back(place, self.of(place), rids, to)

    def _back(
        self, place: TablePlace, stored: Sequence[Made], rids: Rows, to: Collection[State]
    ) -> Rows:
        parts, left = [rids[:0]], rids.size
        for made in stored:
            inner = made.within(rids)
            left -= inner.size
            for state, chains in made.sources:
                below = together([chain.backward(inner) for chain in chains])
                if not below.size:
                    continue
                if state in to:
                    self._check(state, place)
                    parts.append(below)
                if further := self._then(state):
                    parts.append(self._back(state.place, further, below, to))
        if left:
            raise UsageError(
                f"The lineage of {left:,} records of {place.name} is unknown",
                "Statements without lineage stored them, or a later change of the table ended it",
                "Store them by con.sql(statement, lineage=True)",
            )
        return together(parts)

    def forth(self, place: TablePlace, rids: Rows, to: Collection[State]) -> Rows:
        """Return the records of ``place`` made from the records ``rids`` of another table.

        ``to`` are the states of that other table.
        """
        return self._forth(self.of(place), rids, to)

    def _forth(self, stored: Sequence[Made], rids: Rows, to: Collection[State]) -> Rows:
        parts = [rids[:0]]
        for made in stored:
            for state, chains in made.sources:
                below = rids if state in to else rids[:0]
                if further := self._then(state):
                    below = together([below, self._forth(further, rids, to)])
                for chain in chains:
                    known = below[below < chain.links[-1].number]  # others were added later
                    parts.append(chain.forward(known) + made.first)
        return together(parts)

    def _check(self, state: State, made: TablePlace) -> None:
        """Raise UsageError unless the records of a state can still be read."""
        if not state.became(self.state(state.place)):
            name = state.place.name
            raise UsageError(
                f"The records of {name} behind {made.name} can no longer be read",
                f"{name} has changed since {made.name} was made from it",
                f"Make {made.name} again",
            )


def same_name(place: TablePlace, others: Iterable[TablePlace]) -> bool:
    """Return whether the table name ``place`` is among ``others``, ignoring case."""
    return _key(place) in map(_key, others)


def _key(place: TablePlace) -> TablePlace:
    return TablePlace(*map(str.lower, place))
