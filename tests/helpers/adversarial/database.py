"""A plain DuckDB with the objects of the schema, and copies of its tables that can be cut.

Queries run here without provhouse. Each use of a table can have its own rows: it then reads a copy
of the table, in which rows are deleted within a transaction that is rolled back.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

import duckdb
import pyarrow as pa

from .limits import MEMORY
from .marks import Use, mapped, render, uses
from .schema import MACROS, NUMBERED, OBJECTS, VIEWS, make, statements

COPIES = 6
"""The maximum number of uses of one table in a query.

The witnesses of a query that exceeds it are not tested.
"""


@dataclass(frozen=True)
class Leaf:
    """A use of a base table, and the number of the top-level use that contains it.

    The top-level use, in the query itself, may be of a view or macro that reads the table.
    """

    table: str
    top: int


def leaves(text: str) -> list[Leaf]:
    """Return the uses of base tables in a query, including uses inside views and macros."""
    return [Leaf(table, at) for at, use in enumerate(uses(text)) for table in _tables(use.key)]


def _tables(key: str) -> list[str]:
    found = OBJECTS[key]
    if found.kind == "table":
        return [key]
    return [table for use in uses(found.body) for table in _tables(use.key)]


def connect(seed: int, path: str) -> duckdb.DuckDBPyConnection:
    """Return a database with all objects, whose search path is ``path``."""
    con = duckdb.connect(config={"threads": 1, "memory_limit": MEMORY})
    for statement in statements(seed):
        con.execute(statement)
    for each in (*VIEWS, *MACROS):
        word = "view" if each.kind == "view" else "macro"
        con.execute(f"create {word} {each.key}{' ' * (word == 'view')}{render(each.body)}")
    con.execute(f"set search_path = '{path}'")
    return con


class Database:
    """The database of the oracle."""

    def __init__(self, seed: int, path: str) -> None:
        self.con = connect(seed, path)
        self._seed = seed
        self._made: Counter[str] = Counter()
        """The number of copies made so far, by table. Most queries need no copies."""
        self.con.execute("create schema pool")

    def run(self, sql: str) -> pa.Table:
        """Run ``text``. Raises the errors of DuckDB."""
        return self.con.sql(sql).to_arrow_table()

    def cut(
        self, text: str, rids: Mapping[int, Iterable[int]], *, without: bool = False
    ) -> pa.Table:
        """Run a query in which each leaf in ``rids`` has only the rows with the given row IDs.

        If ``without``, the leaf has all rows except these.
        """
        self._make_copies(text)
        self.con.execute("begin")
        try:
            return self.run(self._prepared(text, rids, "in" if without else "not in"))
        finally:
            with suppress(duckdb.Error):
                self.con.execute("rollback")

    def _make_copies(self, text: str) -> None:
        """Make the copies of tables that a query needs.

        Raises Uncut if the query uses a table too often.
        """
        for table, times in Counter(leaf.table for leaf in leaves(text)).items():
            if times > COPIES:
                raise Uncut
            for number in range(self._made[table], times if times > 1 else 0):
                for statement in make(OBJECTS[table], _copy(table, number), self._seed):
                    self.con.execute(statement)
                self._made[table] += 1

    def _prepared(self, text: str, given: Mapping[int, Iterable[int]], deleted: str) -> str:
        """Delete rows, and return a query that reads the remaining rows."""
        found = leaves(text)
        times = Counter(leaf.table for leaf in found)
        names: dict[int, str] = {}
        numbers: Counter[str] = Counter()
        homes: list[str] = []
        for leaf in found:
            home = leaf.table
            if times[home] > 1:
                home = _copy(leaf.table, numbers[leaf.table])
                numbers[leaf.table] += 1
            homes.append(home)
        for at, use in enumerate(uses(text)):
            own = [n for n, leaf in enumerate(found) if leaf.top == at]
            if any(times[found[n].table] > 1 for n in own):
                names[at] = self._renamed(use, [homes[n] for n in own], at)
        for at, rids in given.items():
            column = NUMBERED.get(found[at].table, "rowid")
            listed = ", ".join(map(str, rids)) or "-1"
            self.con.execute(f"delete from {homes[at]} where {column} {deleted} ({listed})")
        return render(text, names)

    def _renamed(self, use: Use, homes: list[str], at: int) -> str:
        """Return the name of a copy of a table, or of a new view or macro that reads copies."""
        found = OBJECTS[use.key]
        if found.kind == "table":
            return homes[0]
        left = iter(homes)
        name = f"pool.made{at}"
        body = self._copied(found.body, left)
        word = "view" if found.kind == "view" else "macro"
        self.con.execute(f"create {word} {name}{' ' * (word == 'view')}{body}")
        return name

    def _copied(self, body: str, homes: "Iterable[str]") -> str:
        """Return a view's body, with copies in place of tables and bodies in place of views."""
        left = iter(homes)

        def one(use: Use) -> Use:
            found = OBJECTS[use.key]
            if found.kind == "table":
                return Use(use.key, next(left), use.flags)
            inner = self._copied(found.body, left)
            named, _, query = inner.partition("as ")
            if named.strip():
                query = f"select * from ({query}) x_{named}"
            return Use(use.key, f"({query})", use.flags)

        return render(mapped(body, one))


class Uncut(Exception):
    """A query uses one table too often to be cut."""


def _copy(table: str, number: int) -> str:
    plain = table.replace(".", "_").replace('"', "")
    return f'pool."{plain}_{number}"'
