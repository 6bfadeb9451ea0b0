"""The plans of a project's models. DuckDB binds each on empty tables of the models it reads."""

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
    """The columns of a model's table, and the plan of its query as bound by DuckDB."""

    columns: Columns
    plan: PlanForm | None
    reason: str
    """Why the query and the tables that it reads do not determine the model's rows, or ""."""

    @property
    def reads(self) -> dict[Path, set[str]]:
        """The columns that the query reads from each table, by the table's path."""
        found: dict[Path, set[str]] = {}
        for each in operators(self.plan.root) if self.plan else ():
            if isinstance(each, Scan):
                found.setdefault(each.table, set()).update(name for name in each.names if name)
        return found


class Binder:
    """A database to which the tables of a project are added one by one."""

    def __init__(self, database: EmptyDatabase) -> None:
        self._database = database

    def path(self, node: Node) -> Path:
        """Return the fully qualified name of a node's table."""
        return ("memory", node.id, node.identifier)

    def declare(self, node: Node, columns: Columns, tested: TestedColumns) -> bool:
        """Add a table with these columns, and the constraints on them that tests confirm.

        Returns False if DuckDB lacks one of the types, for example a type of an extension.
        """
        listed = ", ".join(f"{quoted(name)} {type_}" for name, type_ in columns)
        try:
            self._create(node, f"({listed})", columns, tested)
        except duckdb.Error:
            return False
        return True

    def bind(self, node: Node, tested: TestedColumns) -> BoundModel:
        """Bind the query of a model, and add the model's table."""
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
        """Assume that a table meets the constraints that tests of the same rows confirm."""
        path = self.path(node)
        names = {name for name, _ in self._database.columns[path]}
        keys = tuple((name,) for name in tested.keys if name in names)
        not_null = frozenset(tested.not_null & names)
        self._database.facts[path] = TableFacts(not_null, keys[0] if keys else (), keys)


@contextmanager
def binder() -> Iterator[Binder]:
    """Yield a binder whose database has no tables yet."""
    with empty_database("") as database:
        yield Binder(database)


def quoted(name: str) -> str:
    """Return a name as a quoted SQL identifier."""
    return '"{}"'.format(name.replace('"', '""'))


def _columns(con: duckdb.DuckDBPyConnection, node: Node) -> Columns:
    made = con.table(node.table)
    return [(name, str(type_)) for name, type_ in zip(made.columns, made.types, strict=True)]


def _unlike_a_table(node: Node, plan: PlanForm, columns: Columns) -> list[str]:
    """Return why reading a query differs from reading a table of its rows; empty if it does not.

    For example, a table assigns a type to a column of NULLs.
    """
    if len(plan.root.columns) != len(columns):
        return ["its columns are not those of its query"]
    untyped = any('"NULL"' in f'"{column.type}"' for column in plan.root.columns)
    return ["it is a view with a column that has no type"] if untyped and not node.stored else []


def _cause(error: Exception) -> str:
    text = error.found if isinstance(error, BadInput) else str(error).splitlines()[0]
    return text.partition("Error: ")[2] or text
