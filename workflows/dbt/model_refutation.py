"""Run the two queries of a changed model on small tables, to find rows that differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from provhouse.equivalence.refutation import Example
from provhouse.equivalence.verdict import ComparedQuery, compare
from provhouse.model.errors import BadInput

from .bound_models import quoted
from .project import ProjectNode
from .sides import ProjectSide
from .table_types import Columns

Row = tuple[Any, ...]
Tables = Mapping[str, Columns]
"""The columns of tables, by node id."""


@dataclass(frozen=True)
class ExampleRows:
    """Rows, and the names of their columns."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class ModelExample:
    """Rows for the tables that a model reads, for which its two queries return different rows."""

    tables: dict[str, ExampleRows]
    only_base: ExampleRows
    only_head: ExampleRows


@dataclass(frozen=True)
class QueryVerdict:
    """A verdict on the two queries of a model."""

    kind: str
    reason: str
    example: ModelExample | None = None


def compared_queries(
    base: ProjectSide,
    before: ProjectNode,
    node: ProjectNode,
    tables: Tables,
    columns: Sequence[str],
) -> QueryVerdict:
    """Compare the given columns of two queries over the same tables."""
    ddl = "".join(_created(base, node_id, listed) for node_id, listed in sorted(tables.items()))
    one, other = (ComparedQuery(_narrowed(each, columns), ddl) for each in (before, node))
    try:
        found = compare(one, other)
    except BadInput as error:  # for example, two columns have the same name
        return QueryVerdict("unknown", error.found)
    rows = found.example
    example = _example(base, tables, tuple(columns), rows) if rows else None
    return QueryVerdict(found.kind, found.reason, example)


def _narrowed(node: ProjectNode, columns: Sequence[str]) -> str:
    return f"select {', '.join(map(quoted, columns))} from ({node.text})"


def _created(side: ProjectSide, node_id: str, columns: Columns) -> str:
    """Return the DDL of a table, with the constraints that tests confirm.

    dbt's uniqueness test ignores NULLs, as UNIQUE does.
    """
    node, names = side.project.nodes[node_id], dict(columns)
    tested = side.tests(node)
    listed = [
        f"{quoted(name)} {type_}{' not null' if name in tested.not_null else ''}"
        for name, type_ in columns
    ]
    listed += [f"unique ({quoted(name)})" for name in sorted(tested.unique & names.keys())]
    keys = [name for name in tested.keys if name in names][:1]
    listed += [f"primary key ({quoted(name)})" for name in keys]
    return f"create schema {quoted(node_id)}; create table {node.table} ({', '.join(listed)}); "


def _example(
    side: ProjectSide, tables: Tables, columns: tuple[str, ...], found: Example
) -> ModelExample:
    shown = {
        side.project.nodes[id_].name: ExampleRows(
            tuple(name for name, _ in listed),
            tuple(found.tables[side.project.nodes[id_].identifier]),
        )
        for id_, listed in tables.items()
    }
    lost, gained = (
        ExampleRows(columns, tuple(rows)) for rows in (found.only_first, found.only_second)
    )
    return ModelExample(shown, lost, gained)
