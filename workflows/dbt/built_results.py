"""A run of dbt as a revision: the models that it has built, with their executions and results.

The result of a model is stored only if it is certainly the result of the stored query: every model
that this query includes must have been built in the same run. All other tables that the query reads
are pinned by their rows after the run.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from sqlglot import exp

from provhouse.commit.single_writer import only_writer
from provhouse.equivalence.plan_form import Opaque
from provhouse.model.errors import BadInput
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.runtime.files import make_folder
from provhouse.sql.quoting import quoted
from provhouse.store.warehouse.layout import Layout

from ..changed_settings import may_change_rows
from ..executions import (
    FAILED,
    Execution,
    RegisteredJob,
    add_executions,
    add_result,
    broken_for,
    new_execution,
)
from ..pinned_data import scans_of
from ..pinned_inputs import InputPin
from ..revision_names import RevisionName, revision_name
from ..revision_tables import now
from ..revisions import SinkPlan, store_revision
from ..table_pins import opened, state_of_place, table_place
from .model_sinks import SOURCE, sink_names, sinks_of
from .passed_tests import with_status
from .project import DbtProject, ProjectNode
from .table_types import TableTypes, columns_of_database

BUILT = ("success", "partial success")


def register_built(
    workflow: str,
    project: DbtProject,
    database: tuple[str, Path],
    changed: Mapping[str, Any],
    settings: Settings,
    progress: Progress,
) -> RegisteredJob:
    """Store the models that dbt's last run has built as a revision, with their results.

    ``database`` is the name of the database in compiled SQL, and its file. ``changed`` are DuckDB's
    settings in dbt's profile. Raises BadInput if the database cannot be
    read, and Busy if another writer is active.
    """
    ran = with_status(project, *BUILT, "error")
    nodes = {name: node for name, node in sink_names(project).items() if node.id in ran}
    if not nodes:
        return RegisteredJob("", ())
    sinks = sinks_of(project, TableTypes(named=columns_of_database(database[1])))
    with only_writer(settings, progress):
        progress.begin("Store the results")
        chosen = {name: sinks[name] for name in nodes}
        added = store_revision(workflow, chosen, settings, progress)
        run = _BuiltRun(
            project, database, revision_name(added.revision), Layout(settings.warehouse)
        )
        notes, done = [], []
        for name, node in nodes.items():
            try:
                _check_settings(changed)
                done.append(run.executed(name, node, chosen[name]))
            except BadInput as error:
                notes.append(f"The result {name} is not stored. {error.wanted}: {error.found}")
        if done:
            add_executions(run.layout, done)
    return RegisteredJob(added.revision, tuple(notes), sum(bool(each.result) for each in done))


def _check_settings(changed: Mapping[str, Any]) -> None:
    if found := may_change_rows(changed):
        raise BadInput(
            f"The profile changes the setting {found[0]}",
            "A revision is a query under DuckDB's default settings",
        )


class _BuiltRun:
    """The models of one run, and the database that they are in."""

    def __init__(
        self, project: DbtProject, database: tuple[str, Path], name: RevisionName, layout: Layout
    ) -> None:
        self._project, self._database, self._name = project, database, name
        self.layout = layout
        self._built = with_status(project, *BUILT)
        self._results = {
            each["unique_id"]: each for each in (project.results or {}).get("results", ())
        }
        self._execution = new_execution()
        self._pins: dict[str, InputPin] = {}

    def executed(self, name: str, node: ProjectNode, plan: SinkPlan) -> Execution:
        """Store the result of a model, and return its execution; raise BadInput if impossible."""
        started, ended = self._times(node)
        of = Execution(
            execution=self._execution, revision=self._name, sink=name, started=started, ended=ended,
            state=FAILED,
        )  # fmt: skip
        if node.id not in self._built:
            return of
        if isinstance(plan.plan.root, Opaque) and plan.source == SOURCE:
            raise BadInput("It has no plan", plan.plan.root.reason)
        self._check_through(node, plan)
        pins = tuple(self._pin(self._project.nodes[table[1]]) for table in scans_of(plan.plan))
        return Execution(
            execution=self._execution, revision=self._name, sink=name, started=started, ended=ended,
            inputs=pins, broken=broken_for(plan, pins), result=self._stored(node, plan),
        )  # fmt: skip

    def _times(self, node: ProjectNode) -> tuple[str, str]:
        """Return when dbt began and ended to execute a node."""
        timing = self._results[node.id].get("timing", ())
        (found,) = [each for each in timing if each["name"] == "execute"] or [{}]
        return str(found.get("started_at") or ""), str(found.get("completed_at") or now())

    def _check_through(self, node: ProjectNode, plan: SinkPlan) -> None:
        """Raise BadInput if a model whose query the plan includes was not built in this run."""
        tables = {table[1] for table in scans_of(plan.plan)}
        for each in self._included(node, tables):
            if self._project.nodes[each].kind == "model" and each not in self._built:
                raise BadInput(
                    f"It reads {self._project.nodes[each].name}",
                    "This run has not built that model",
                )

    def _included(self, node: ProjectNode, tables: set[str]) -> Iterator[str]:
        for each in self._project.tables_below(node.id):
            if each not in tables:
                yield each
                yield from self._included(self._project.nodes[each], tables)

    def _pin(self, node: ProjectNode) -> InputPin:
        if node.id not in self._pins:
            place = self._place(node)
            self._pins[node.id] = InputPin(node.identifier, "table", place, state_of_place(place))
        return self._pins[node.id]

    def _place(self, node: ProjectNode) -> str:
        table, (name, path) = exp.to_table(node.relation, dialect="duckdb"), self._database
        if table.catalog.lower() not in ("", name.lower()):
            raise BadInput(f"The table of {node.name} is in another database", table.catalog)
        inside = f"{quoted(table.db or 'main')}.{quoted(table.name)}"
        return table_place(path, inside)

    def _stored(self, node: ProjectNode, plan: SinkPlan) -> str:
        make_folder(self.layout.staging)
        with TemporaryDirectory(dir=self.layout.staging) as folder:
            path = Path(folder) / "result.parquet"
            with opened(self._place(node)) as (con, table):
                try:
                    reader = con.sql(f"from {table}").to_arrow_reader()
                    with pq.ParquetWriter(path, reader.schema) as file:
                        for batch in reader:
                            file.write_batch(batch)
                except (duckdb.Error, pa.ArrowException) as error:
                    raise BadInput(
                        "Its table cannot be read", str(error).splitlines()[0]
                    ) from error
            return add_result(self.layout, [path], plan, plan.identifying)
