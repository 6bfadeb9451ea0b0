"""The models of a compiled project as the sinks of one revision.

A sink is the query of a model. The models that it reads are views in its DDL, so that DuckDB binds
the query to the tables that no query determines: sources, seeds, snapshots, incremental models.
These tables are the inputs of its executions. A model whose SQL does not determine its rows has no
plan; models that read it have its table as an input.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from provhouse.equivalence.plan_form import Opaque, PlanForm
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.sql.quoting import quoted

from ..revision_names import check_workflow
from ..revisions import Added, SinkPlan, store_revision
from .bound_models import BoundModel, binder
from .passed_tests import tested_columns
from .project import DbtProject, ProjectNode, project
from .sides import ProjectSide
from .table_types import TableTypes, columns_of_ddl
from .undecided import why_not_by_sql

SOURCE = "dbt"
"""The source of a sink without a plan. All other sinks are SQL queries."""


def add_project(
    workflow: str, target: Path, ddl: str, settings: Settings, progress: Progress
) -> Added:
    """Store a revision with a sink for each model, unless it equals the newest one.

    Raises BadInput if the target folder cannot be read, and Busy if another writer is active.
    """
    check_workflow(workflow)
    return store_revision(workflow, model_sinks(target, ddl), settings, progress)


def model_sinks(target: Path, ddl: str) -> Mapping[str, SinkPlan]:
    """Return a sink for each model that dbt builds, by model name.

    ``ddl`` contains CREATE statements for tables that dbt's catalog lacks. Raises BadInput if the
    target folder does not belong to a dbt-duckdb project.
    """
    read = project(target)
    return sinks_of(read, TableTypes(read.catalog, named=columns_of_ddl(ddl)))


def sinks_of(read: DbtProject, types: TableTypes) -> Mapping[str, SinkPlan]:
    """Return a sink for each model that dbt builds, by ``sink_names``."""
    with binder() as tables:
        side = ProjectSide(read, types, tables, tested_columns(read, read))
        for node in read.nodes.values():
            side.bind(node)
    return {name: _sink(side, node) for name, node in sink_names(read).items()}


def sink_names(read: DbtProject) -> Mapping[str, ProjectNode]:
    """Return the models that dbt builds, by name; by id if several packages have the name."""
    models = [each for each in read.nodes.values() if each.kind == "model" and each.is_built]
    times = Counter(each.name for each in models)
    return {each.name if times[each.name] == 1 else each.id: each for each in models}


def _sink(side: ProjectSide, node: ProjectNode) -> SinkPlan:
    below = [side.project.nodes[id_] for id_ in side.project.nodes if id_ in {*_below(side, node)}]
    tables = [each.identifier for each in below if _hindrance(side, each)]
    reason = _hindrance(side, node)
    if not reason and len({*map(str.lower, tables)}) < len(tables):
        reason = "two of the tables that it reads have one name"
    if reason:
        return _without_plan(node, reason)
    return SinkPlan.of("sql", str(node.text), "\n".join(_declared(side, each) for each in below))


def _below(side: ProjectSide, node: ProjectNode) -> Iterator[str]:
    """Yield the tables that a query reads, directly and through queries."""
    for needed in side.project.tables_below(node.id):
        yield needed
        if not _hindrance(side, other := side.project.nodes[needed]):
            yield from _below(side, other)


def _hindrance(side: ProjectSide, node: ProjectNode) -> str:
    """Return why a node's rows may differ from the rows of its SQL; empty if they cannot."""
    if reason := why_not_by_sql(node, side.project.macros):
        return reason
    if side.project.operations:
        return "hooks at the start or the end of a run may change its rows"
    if "columns" in node.parts.rows:
        return "its contract decides its types"
    return side.models[node.id].reason or _untyped(side.models[node.id])


def _untyped(model: BoundModel) -> str:
    """Return why a table has other types than its query; empty if it has the same types.

    DuckDB assigns a type to a column of NULLs.
    """
    columns = model.plan.root.columns if model.plan else ()
    untyped = any('"NULL"' in f'"{column.type}"' for column in columns)
    return "it has a column that has no type" if untyped else ""


def _declared(side: ProjectSide, node: ProjectNode) -> str:
    """Return the DDL that declares a model as a view, and any other node as a table."""
    schema = f"create schema {quoted(node.id)};"
    if not _hindrance(side, node):
        return f"{schema}\ncreate view {node.table} as {node.text};"
    tested = side.tests(node)
    columns = side.models[node.id].columns
    listed = [
        f"{quoted(name)} {type_}{' not null' * (name in tested.not_null)}"
        for name, type_ in columns
    ]
    keys = [key for key in tested.keys if key in {name for name, _ in columns}]
    listed += [f"primary key ({quoted(key)})" for key in keys[:1]]
    return f"{schema}\ncreate table {node.table} ({', '.join(listed)});"


def _without_plan(node: ProjectNode, reason: str) -> SinkPlan:
    digest = hashlib.sha256(f"{node.text or node.template}".encode()).hexdigest()
    plan = PlanForm(SOURCE, "", (), (), Opaque((), (), "", reason, digest))
    return SinkPlan.of_plan(SOURCE, plan)
