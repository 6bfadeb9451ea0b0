"""The plans of a project's models, each bound by DuckDB on empty tables of the models it reads."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import duckdb

from provhouse.equivalence.empty_database import EmptyDatabase, empty_database
from provhouse.equivalence.from_duckdb import TableFacts
from provhouse.equivalence.plan_form import PlanForm, Scan, doubts, operators
from provhouse.model.errors import BadInput

from .passed_tests import TestedColumns
from .project import Node
from .table_types import Columns

Path = tuple[str, ...]
NO_DATA = "with no data"


@dataclass(frozen=True)
class BoundModel:
    """The columns of a model's table, and the plan of its query, as DuckDB binds it."""

    columns: Columns
    plan: PlanForm | None
    reason: str
    """Why its rows are not determined by its query and the tables that it reads."""

    @property
    def reads(self) -> dict[Path, set[str]]:
        """The columns that the query reads of each table, by the table's path."""
        found: dict[Path, set[str]] = {}
        for each in operators(self.plan.root) if self.plan else ():
            if isinstance(each, Scan):
                found.setdefault(each.table, set()).update(name for name in each.names if name)
        return found


class Binder:
    """A database to which the tables of a project are added, one after the other."""

    def __init__(self, database: EmptyDatabase) -> None:
        self._database = database

    def path(self, node: Node) -> Path:
        """Return the whole name of a node's table."""
        return ("memory", node.id, node.identifier)

    def declare(self, node: Node, columns: Columns, tested: TestedColumns) -> bool:
        """Add a table with these columns, and what tests say about them.

        Returns False if DuckDB lacks one of the types, for example one of an extension.
        """
        listed = ", ".join(f"{quoted(name)} {type_}" for name, type_ in columns)
        try:
            self._create(node, f"({listed})", columns, tested)
        except duckdb.Error:
            return False
        return True

    def bind(self, node: Node, tested: TestedColumns) -> BoundModel:
        """Bind the query of a model and add its table."""
        if not node.text:
            return BoundModel([], None, "its SQL is not compiled")
        try:
            plan = self._database.plan(node.text)
            self._create(node, f"as {node.text} {NO_DATA}", None, tested)
        except (BadInput, duckdb.Error) as error:
            return BoundModel([], None, f"DuckDB does not bind its SQL: {_cause(error)}")
        columns = self._database.columns[self.path(node)]
        reasons = [*doubts(plan), *_unlike_a_table(node, plan, columns)]
        return BoundModel(columns, plan, reasons[0] if reasons else "")

    def _create(
        self, node: Node, rest: str, columns: Columns | None, tested: TestedColumns
    ) -> None:
        con, path = self._database.con, self.path(node)
        con.execute(f"create schema {quoted(node.id)}")
        con.execute(f"create table {node.table} {rest}")
        listed = columns or _columns(con, node)
        self._database.columns[path] = listed
        self.assume(node, tested)

    def assume(self, node: Node, tested: TestedColumns) -> None:
        """Assume of a table what tests of the same rows say."""
        path = self.path(node)
        names = {name for name, _ in self._database.columns[path]}
        key = tuple(name for name in tested.keys if name in names)[:1]
        self._database.facts[path] = TableFacts(frozenset(tested.not_null & names), key)


@contextmanager
def binder() -> Iterator[Binder]:
    """Yield a database without tables."""
    with empty_database("") as database:
        yield Binder(database)


def quoted(name: str) -> str:
    """Return a name as SQL."""
    return '"{}"'.format(name.replace('"', '""'))


def _columns(con: duckdb.DuckDBPyConnection, node: Node) -> Columns:
    made = con.table(node.table)
    return [(name, str(type_)) for name, type_ in zip(made.columns, made.types, strict=True)]


def _unlike_a_table(node: Node, plan: PlanForm, columns: Columns) -> list[str]:
    """Return why a query is not read as its table: a table gives a type to a column of NULLs."""
    if len(plan.root.columns) != len(columns):
        return ["its columns are not those of its query"]
    untyped = any('"NULL"' in f'"{column.type}"' for column in plan.root.columns)
    return ["it is a view with a column that has no type"] if untyped and not node.stored else []


def _cause(error: Exception) -> str:
    text = error.found if isinstance(error, BadInput) else str(error).splitlines()[0]
    return text.partition("Error: ")[2] or text
