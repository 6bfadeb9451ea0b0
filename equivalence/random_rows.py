"""Small random contents of tables: NULLs, duplicates, rows that join and that meet conditions.

The contents satisfy the constraints of the tables. Referenced tables are filled first, and a
foreign key gets the values of a row in the referenced table.
"""

import random
from collections.abc import Container, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import duckdb

from provhouse.sql.quoting import quoted, text_of

from .empty_database import EmptyDatabase, whole_name
from .from_duckdb import ForeignKey
from .near_values import NearValues, TableColumn
from .plan_form import AggregatedRows, Join, Operator, PlanForm, Scan, operators

VALUES = (
    *("-1", "0", "1", "2", "3", "0.5", "100", "", "a", "b", "A", "ab", "true", "false"),
    *("2020-01-01", "2020-01-02", "2021-06-15 12:30:00", "12:30:00", "[1, 2]", "[]"),
    *map(str, range(4, 13)),
)
"""Strings of which at least one can be cast to each type."""
MOST = 8
"""The maximum number of rows of a table."""
LARGEST = 20_000
"""The maximum number of rows of a join without conditions."""
SIZES = ((0, 1, 2), (1, 2, 3), (3, 5, 8), (5, 8), (5, 8))
MET, NULLS = (0.5, 0.8, 0.95), (0.0, 0.1, 0.25)
"""Each database uses one element of ``SIZES``, ``MET`` and ``NULLS``.

``MET`` are fractions of values that meet conditions, and ``NULLS`` are fractions of NULLs.
"""
BESIDE = 0.85
"""The fraction of values that are near literals, if there are literals for the column."""
WIDENING = ("INNER", "LEFT", "RIGHT", "FULL")
Table = tuple[str, ...]
Row = dict[str, str | None]
"""The values of a row, as strings, by column name."""
Palette = tuple[list[str], list[str], list[str]]
"""Values that meet conditions, values near literals, other values: only a few, so rows repeat."""


@dataclass(frozen=True)
class _Style:
    """The properties that the rows of one database have in common."""

    sizes: Sequence[int]
    met: float
    nulls: float
    palettes: dict[TableColumn, Palette] = field(default_factory=dict)
    """The values that compared columns share, by the column that represents them."""
    choices: dict[TableColumn, Palette] = field(default_factory=dict)
    """For each column, the values of its palette that can be cast to its type."""


class RandomRows:
    """A generator of contents for the tables that the given plans read."""

    def __init__(self, database: EmptyDatabase, plans: Sequence[PlanForm], seed: int) -> None:
        self._database, self._random = database, random.Random(seed)
        database.clear(database.columns)
        read = _read(plans)
        self._tables = database.referred_first(read)
        self._fixed = self._never_read(read)
        self._near = NearValues(plans)
        for table in self._tables:
            for key in database.facts[table].foreign:
                for name, referred in zip(key.columns, key.referred, strict=True):
                    self._near.link((table, name), (key.table, referred))
        self._columns = {t: self._filled(t, read.get(t, frozenset())) for t in self._tables}
        self._fitting = self._of_types({*VALUES, *self._near.texts()})
        self._constants = {table: self._never_null(table) for table in self._tables}
        self._most = _most(plans)
        self.made: dict[Table, list[Row]] = {}
        """The rows of the tables that the plans need."""

    def fill(self) -> None:
        """Replace the rows of the tables. Rows that violate a constraint are left out."""
        if not self.made:
            self._fill(self._fixed, _Style(SIZES[-1], MET[0], 0))
        others = [table for table in self._tables if table not in self._fixed]
        for table in reversed(others):
            self._database.empty(table)
        choice = self._random.choice
        self._fill(others, _Style(choice(SIZES), choice(MET), choice(NULLS)))

    def _fill(self, tables: Iterable[Table], style: _Style) -> None:
        for table in tables:
            self.made[table] = self._rows(table, style)
            self._insert(table, self.made[table])

    def _never_read(self, read: Container[Table]) -> list[Table]:
        """Return the tables that are not read and do not reference any table that is read."""
        found: list[Table] = []
        for table in self._tables:
            referred = [key.table for key in self._database.facts[table].foreign]
            if table not in read and all(each in (*found, table) for each in referred):
                found.append(table)
        return found

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """Return the rows of each table, by the table's name."""
        con = self._database.con
        tables = self._database.columns
        return {t[-1]: con.execute(f"from {whole_name(t)}").fetchall() for t in tables}

    def _filled(self, table: Table, read: Iterable[str]) -> dict[str, str]:
        """Return the types of the columns that are read or part of a key, by column name."""
        facts = self._database.facts[table]
        keys = (*facts.keys, *(each.columns for each in facts.foreign))
        filled = {*read, *(name for key in keys for name in key)}
        return {name: t for name, t in self._database.columns[table] if name in filled}

    def _of_types(self, texts: set[str]) -> dict[str, dict[str, str]]:
        """Return, for each column type, the strings that can be cast to it, and the results."""
        types = list({type_ for t in self._tables for _, type_ in self._database.columns[t]})
        if not types:
            return {}
        casts = ", ".join(f"cast(try_cast(v as {type_}) as varchar)" for type_ in types)
        query = f"select v, {casts} from (select unnest(?) v)"
        rows = self._database.con.execute(query, [sorted(texts)]).fetchall()
        return {
            type_: {text: made[at] for text, *made in rows if made[at] is not None}
            for at, type_ in enumerate(types)
        }

    def _never_null(self, table: Table) -> dict[str, str]:
        """Return literals for columns that must not be NULL and have no other requirements."""
        filled, not_null = self._columns[table], self._database.facts[table].not_null
        return {
            name: _literal(next(iter(self._fitting[type_].values()), None))
            for name, type_ in self._database.columns[table]
            if name in not_null and name not in filled
        }

    def _insert(self, table: Table, rows: Sequence[Row]) -> None:
        """Insert all rows at once or, if DuckDB refuses, one by one without the refused rows."""
        try:
            self._insert_all(table, rows)
        except duckdb.Error:
            for row in rows:
                with suppress(duckdb.Error):
                    self._insert_all(table, [row])

    def _insert_all(self, table: Table, rows: Sequence[Row]) -> None:
        if rows:
            constants = self._constants[table]
            names = ", ".join(map(quoted, (*self._columns[table], *constants)))
            same = ", ".join(("*", *constants.values()))
            listed = ", ".join(f"({', '.join(map(_literal, row.values()))})" for row in rows)
            self._database.con.execute(
                f"insert into {whole_name(table)} ({names}) select {same} from (values {listed})"
            )

    def _rows(self, table: Table, style: _Style) -> list[Row]:
        found: list[Row] = []
        facts, columns = self._database.facts[table], self._columns[table]
        seen: set[tuple[Any, ...]] = set()
        for _ in range(min(self._most, self._random.choice(style.sizes))):
            row = self._row(table, columns, style)
            if found and self._random.random() < 0.4:
                changed = self._random.sample([*row.items()], min(len(row), 2))
                row = {**self._random.choice(found), **dict(changed)}
            for foreign in sorted(facts.foreign, key=lambda each: -len(each.columns)):
                self._refer(table, row, foreign, self._parents(table, foreign, found), style)
            for key in facts.keys:
                self._make_new(table, row, key, seen)
            keys = [(key, *(row[name] for name in key)) for key in facts.keys]
            nulls = {name for name, value in row.items() if value is None}
            if facts.not_null.isdisjoint(nulls) and seen.isdisjoint(keys):
                seen.update(each for each in keys if None not in each)
                found.append(row)
        return found

    def _parents(self, table: Table, key: ForeignKey, found: list[Row]) -> list[Row]:
        """Return the rows that a foreign key may refer to.

        If a table refers to itself, these are only the rows in which the foreign key is NULL.
        """
        if key.table != table:
            return self.made[key.table]
        return [row for row in found if all(row[name] is None for name in key.columns)]

    def _row(self, table: Table, columns: dict[str, str], style: _Style) -> Row:
        not_null = self._database.facts[table].not_null
        return {
            name: None
            if name not in not_null and self._random.random() < style.nulls
            else self._value((table, name), type_, style)
            for name, type_ in columns.items()
        }

    def _value(self, column: TableColumn, type_: str, style: _Style) -> str | None:
        if column not in style.choices:
            fitting = self._fitting[type_]
            met, beside, others = self._palette(column, type_, style)
            style.choices[column] = (
                [fitting[each] for each in met if each in fitting],
                [fitting[each] for each in beside if each in fitting],
                [fitting[each] for each in others if each in fitting],
            )
        chance = self._random.random()
        parts = zip(style.choices[column], (style.met, BESIDE, 1), strict=True)
        listed = next((each for each, part in parts if each and chance < part), None)
        return self._random.choice(listed) if listed else None

    def _palette(self, column: TableColumn, type_: str, style: _Style) -> Palette:
        """Return a few values for a column and for all columns that are compared with it."""
        leader = self._near.leader(column)
        if leader not in style.palettes:
            near, fitting = self._near.of(column), self._fitting[type_]
            style.palettes[leader] = (
                self._some(near.met, 3),
                self._some({**near.met, **near.beside}, 5),
                self._some([each for each in VALUES if each in fitting], 4),
            )
        return style.palettes[leader]

    def _some(self, values: Iterable[str], most: int) -> list[str]:
        listed = list(values)
        return self._random.sample(listed, min(len(listed), most))

    def _refer(
        self,
        table: Table,
        row: Row,
        key: ForeignKey,
        parents: Sequence[Row],
        style: _Style,
    ) -> None:
        """Make a foreign key of a row reference a row, or set it to NULL."""
        wanted = [tuple(parent[name] for name in key.referred) for parent in parents]
        wanted = [each for each in wanted if None not in each]
        nullable = self._database.facts[table].not_null.isdisjoint(key.columns)
        if tuple(row[name] for name in key.columns) in wanted:
            return
        if not wanted or (nullable and self._random.random() < style.nulls):
            row.update(dict.fromkeys(key.columns))
        else:
            first = min(self._random.randrange(len(wanted)) for _ in range(2))
            row.update(zip(key.columns, wanted[first], strict=True))

    def _make_new(
        self, table: Table, row: Row, key: Sequence[str], seen: set[tuple[Any, ...]]
    ) -> None:
        """Change a key column outside of all foreign keys until no other row has the same key."""
        facts = self._database.facts[table]
        referring = {name for each in facts.foreign for name in each.columns}
        free = [name for name in key if name not in referring]
        if not free or (key, *(row[name] for name in key)) not in seen:
            return
        fitting = self._fitting[self._columns[table][free[0]]]
        for value in VALUES:
            if value in fitting:
                row[free[0]] = fitting[value]
                if (key, *(row[name] for name in key)) not in seen:
                    return


def _read(plans: Iterable[PlanForm]) -> dict[Table, set[str]]:
    """Return the columns that the given plans read, by table."""
    found: dict[Table, set[str]] = {}
    for plan in plans:
        for each in operators(plan.root):
            if isinstance(each, Scan):
                found.setdefault(each.table, set()).update(filter(None, each.names))
    return found


def _most(plans: Iterable[PlanForm]) -> int:
    """Return the number of rows per table with which joins without conditions stay small."""
    widest = max((max(_joined(plan.root)) for plan in plans), default=1)
    return max(2, min(MOST, int(LARGEST ** (1 / widest))))


def _joined(operator: Operator) -> tuple[int, int]:
    """Return the number of tables that an operator joins, and the largest such number below it."""
    below = list(map(_joined, operator.inputs))
    widest = max((max(each) for each in below), default=1)
    if isinstance(operator, Join) and operator.kind in WIDENING:
        return sum(count for count, _ in below), widest
    if isinstance(operator, AggregatedRows):
        return 1, widest
    return max((count for count, _ in below), default=1), widest


def _literal(value: str | None) -> str:
    """Return a string as SQL; NULL gets a type, because a column of only NULLs would be integer."""
    return "null::varchar" if value is None else text_of(value)
