"""Execute pairs of queries on random databases that keep their tables' constraints.

The values are near the literals with which a column is compared, NULL, and few others, so that rows
join, repeat, and lie on both sides of each condition.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Any

import duckdb
from sqlglot import exp, parse_one

from .rewritten.schema import Schema

DATABASES = 100
WITH_ROWS = 20
MOST = 400
"""The number of databases after which the search for rows ends."""
LARGEST = 60_000
"""The number of rows that a join without conditions may have."""
SMALL: dict[str, str | bool | int | float | list[str]] = {
    "threads": 1, "memory_limit": "500MB", "temp_directory": "",
}  # fmt: skip
"""Settings that make a query fail if it needs much memory, and never write to the disk."""
Rows = Counter[tuple[Any, ...]]
Conditions = (
    exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.In, exp.Like, exp.Is,
)  # fmt: skip


@dataclass(frozen=True)
class Trial:
    """The outcome of executing two queries on random databases."""

    databases: int
    with_rows: int
    difference: str = ""
    """The table contents for which the results differ; empty if no difference was found."""
    error: str = ""
    """The message of DuckDB, if a query does not run."""


class RandomContents:
    """A database in memory that fills the tables that the given queries read with random rows."""

    def __init__(self, schema: Schema, texts: tuple[str, ...], seed: int = 0) -> None:
        trees = [parse_one(text, read="duckdb") for text in texts]
        read = {table.name for tree in trees for table in tree.find_all(exp.Table)}
        self._schema, self._random = schema, Random(seed)
        self.tables = [table for table in schema.columns if table in read]
        self._near = _near_literals(trees)
        self._keys = {key for listed in schema.keys.values() for key in listed}
        self._keys |= {c for each in schema.foreign.values() for f in each for c in f.columns}
        self._sizes = _sizes(trees)
        self.con = duckdb.connect(config=SMALL)
        for table in self.tables:
            listed = ", ".join(f'"{name}" {type_}' for name, type_ in schema.columns[table].items())
            self.con.execute(f"create table {table}({listed})")

    def fill(self) -> None:
        """Replace the rows of all tables."""
        favour = self._random.choice((0.3, 0.8, 0.95))
        favourite = {name: self._random.choice(near) for name, near in self._near.items()}
        made: dict[str, list[dict[str, str | None]]] = {}
        for table in self.tables:
            made[table] = self._rows(table, made, favour, favourite)
            self.con.execute(f"delete from {table}")
            if made[table]:
                rows = ", ".join(f"({', '.join(map(_quoted, r.values()))})" for r in made[table])
                self.con.execute(f"insert into {table} values {rows}")

    def rows(self, text: str) -> Rows:
        """Return the rows of a query as a multiset; raise duckdb.Error if it fails."""
        return Counter(map(_plain, self.con.execute(text).fetchall()))

    def shown(self) -> str:
        """Return the contents of all tables."""
        return "\n".join(f"{t}: {self.con.execute(f'from {t}').fetchall()}" for t in self.tables)

    def _rows(
        self,
        table: str,
        made: dict[str, list[dict[str, str | None]]],
        favour: float,
        favourite: dict[str, str],
    ) -> list[dict[str, str | None]]:
        found: list[dict[str, str | None]] = []
        key, seen = self._schema.keys.get(table, ()), set[tuple[str | None, ...]]()
        for number in range(self._random.choice(self._sizes)):
            row = {
                name: self._value(table, name, type_, favour, favourite)
                for name, type_ in self._schema.columns[table].items()
            }
            if found and self._random.random() < 0.4:
                row = {**self._random.choice(found), **dict(self._random.sample([*row.items()], 2))}
            if not self._refer(table, row, made):
                continue
            if len(key) == 1 and not self._refers(table, key[0]):
                row[key[0]] = str(number + 1)
            at = tuple(row[name] for name in key)
            if not key or at not in seen:
                seen.add(at)
                found.append(row)
        return found

    def _refers(self, table: str, name: str) -> bool:
        return any(name in each.columns for each in self._schema.foreign[table])

    def _refer(
        self,
        table: str,
        row: dict[str, str | None],
        made: dict[str, list[dict[str, str | None]]],
    ) -> bool:
        """Make a row's foreign keys refer to existing rows; return whether that is possible."""
        for each in reversed(self._schema.foreign[table]):
            if each.table not in made:
                continue
            nullable = not self._schema.not_null[table] & set(each.columns)
            if nullable and (not made[each.table] or self._random.random() < 0.05):
                row |= dict.fromkeys(each.columns)
            elif not made[each.table]:
                return False
            elif not any(self._matches(row, each.columns, p, each.key) for p in made[each.table]):
                parent = self._random.choice(made[each.table])
                row |= dict(zip(each.columns, (parent[k] for k in each.key), strict=True))
        return True

    @staticmethod
    def _matches(
        row: dict[str, str | None],
        columns: tuple[str, ...],
        parent: dict[str, str | None],
        key: tuple[str, ...],
    ) -> bool:
        return all(row[c] == parent[k] for c, k in zip(columns, key, strict=True))

    def _value(
        self, table: str, name: str, type_: str, favour: float, favourite: dict[str, str]
    ) -> str | None:
        source = self._random
        if name not in self._schema.not_null[table] and source.random() < 0.12:
            return None
        if name in self._keys:
            return str(source.randrange(1, 5))
        fitting = [each for each in self._near.get(name, ()) if _fits(each, type_)]
        if fitting and name in favourite and source.random() < favour:
            return favourite[name] if _fits(favourite[name], type_) else source.choice(fitting)
        if fitting and source.random() < 0.9:
            return source.choice(fitting)
        return source.choice(_few(type_))


def _sizes(trees: list[exp.Expr]) -> list[int]:
    """Return row counts for which an unconditional join of all inputs stays small."""
    joins = [len(s.args.get("joins") or []) for tree in trees for s in tree.find_all(exp.Select)]
    most = max(2, min(9, int(LARGEST ** (1 / (1 + max(joins))))))
    return [0, 1, *(min(each, most) for each in (2, 4, 6, 6, 9, 9))]


def _near_literals(trees: list[exp.Expr]) -> dict[str, list[str]]:
    """Return, by column name, values near the literals with which the column is compared."""
    found: dict[str, dict[str, None]] = {}
    for tree in trees:
        for condition in tree.find_all(*Conditions):
            if condition.find(exp.Query):
                continue
            near = [v for each in condition.find_all(exp.Literal) for v in near_values(each.name)]
            for column in condition.find_all(exp.Column):
                found.setdefault(column.name, {}).update(dict.fromkeys(near))
    return {name: list(values) for name, values in found.items() if values}


def near_values(text: str) -> list[str]:
    """Return a literal and its neighbouring values."""
    try:
        number = Decimal(text)
        step = Decimal(1).scaleb(int(number.as_tuple().exponent))
        return [str(number), str(number - step), str(number + step), str(number)]
    except ArithmeticError:
        pass
    try:
        day = date.fromisoformat(text[:10])
        return [str(day + timedelta(by)) for by in (-1, 0, 1, 20, 400)]
    except ValueError:
        return [text.replace("%", "").replace("_", "x"), text.replace("%", " "), text]


def _fits(text: str, type_: str) -> bool:
    if type_ == "VARCHAR":
        return True
    if type_ == "DATE":
        return len(text) == 10 and text[4] == "-"
    try:
        number = Decimal(text)
    except ArithmeticError:
        return False
    return abs(number) < 10_000 and ("INT" not in type_ or number == int(number))


def _few(type_: str) -> list[str]:
    if type_ == "DATE":
        return ["1995-01-01", "1995-01-02", "2000-02-01"]
    if type_ == "VARCHAR":
        return ["a", "b", "A", ""]
    if type_ == "BOOLEAN":
        return ["true", "false"]
    return ["0", "1", "2", "10"] if "INT" in type_ else ["0", "1.5", "2.25", "100"]


def _quoted(value: str | None) -> str:
    return "null" if value is None else "'{}'".format(value.replace("'", "''"))


def _plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row as strings, in which equal numbers of different precision are equal."""
    return tuple(f"{each:.9g}" if isinstance(each, float) else str(each) for each in row)


def has_values(rows: Rows) -> bool:
    """Return whether a result has a row with a value other than NULL, zero and NaN."""
    return any(set(row) - {"None", "0", "nan"} for row in rows)


def filled(contents: RandomContents) -> Iterator[None]:
    """Yield repeatedly, each time after filling the tables again."""
    for _ in range(MOST):
        contents.fill()
        yield


def tried(schema: Schema, one: str, other: str, seed: int = 0) -> Trial:
    """Execute two queries on random databases, until the first has returned rows often enough."""
    contents = RandomContents(schema, (one, other), seed)
    databases = with_rows = 0
    with contents.con:
        for _ in filled(contents):
            try:
                first, second = contents.rows(one), contents.rows(other)
            except duckdb.Error as error:
                return Trial(databases, with_rows, error=str(error).splitlines()[0])
            databases += 1
            with_rows += has_values(first)
            if first != second:
                return Trial(databases, with_rows, contents.shown())
            if databases >= DATABASES and with_rows >= WITH_ROWS:
                break
    return Trial(databases, with_rows)
