"""The lineage of all rows that a dbt run has built, each model after the models that it reads."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow as pa

from provhouse.sql.catalog import TablePlace
from provhouse.sql.not_covered import NotCovered
from provhouse.workflows.dbt.passed_tests import with_status
from provhouse.workflows.dbt.project import DbtProject, ProjectNode

from ..planning.plan import collector_paused
from .built_row_names import RowNames
from .child_process import DbtRun
from .kept_tables import KeptTables
from .model_op import ModelOp
from .model_rows import ModelRows
from .opened_database import OpenedDatabase
from .seed_rows import SeedRows
from .snapshot_rows import SnapshotRows
from .trace_file import TraceFile

BUILT = ("success", "partial success")
KEEPING = ("incremental", "snapshot")
UNKNOWN = "unknown"
"""The table of the items that represent unknown lineage of a model's rows."""


@dataclass(frozen=True)
class BuiltModel:
    """One model of a run, and whether its rows have lineage."""

    name: str
    triples: int
    refused: str = ""
    """The reason why the rows do not have lineage; empty if they have lineage."""


@dataclass(frozen=True)
class BuiltProject:
    """The lineage of one run."""

    run: int
    """The number of the run, which is the version of the rows that it made."""
    models: tuple[BuiltModel, ...]
    changed: tuple[str, ...]
    """The tables that another program has changed since the last run with lineage."""
    triples: int


def project_lineage(
    run: DbtRun, project: DbtProject, kept: KeptTables, folder: Path
) -> BuiltProject | None:
    """Write the lineage of a run to a file in ``folder``, and store the versions of its rows.

    Returns None if the run built nothing.
    """
    if not with_status(project, *BUILT) & project.nodes.keys():
        return None
    opened = OpenedDatabase(run, project)
    try:
        found = _Lineage(opened, project, kept, folder)
        with found.trace:
            models = tuple(found.models())
            found.unknown_before()
            found.trace.finish()
        kept.add(
            found.names.run, run.command, run.path, found.names.built.values(), found.names.rows()
        )
        changed = tuple(project.nodes[each].name for each in found.names.unknown)
        return BuiltProject(found.names.run, models, changed, found.trace.triples)
    finally:
        opened.close()


class _Lineage:
    def __init__(
        self, opened: OpenedDatabase, project: DbtProject, kept: KeptTables, folder: Path
    ) -> None:
        self._opened, self._project = opened, project
        built = with_status(project, *BUILT)
        self._built = [node for node in project.nodes.values() if node.id in built]
        self.names = RowNames(opened, project, kept)
        self.names.begin(self._existing())
        self.trace = TraceFile(folder, self.names.run)
        self._rows = ModelRows(opened, self.names, self.trace)
        self._snapshots = SnapshotRows(opened, self.names, self.trace, self._rows)
        self._seeds = SeedRows(opened, self.names, self.trace)
        self._ready: set[str] = set()

    def _existing(self) -> Iterator[tuple[ProjectNode, TablePlace]]:
        """Yield the tables that existed before the run and that its models read."""
        built = {node.id for node in self._built}
        for node in self._built:
            before = self._opened.before(node)
            if node.materialized in KEEPING and before and self._opened.is_table(before):
                yield node, before
            yield from self._read(node, built)

    def _read(self, node: ProjectNode, built: set[str]) -> Iterator[tuple[ProjectNode, TablePlace]]:
        """Yield the tables that a node reads, directly or through views, except ``built`` ones."""
        for each in map(self._project.nodes.__getitem__, self._opened.reads(node)):
            if each.id in built or each.kind == "source":
                continue
            if self._opened.is_table(place := self._opened.stored(each)):
                yield each, place
            else:
                yield from self._read(each, built)

    def models(self) -> Iterator[BuiltModel]:
        """Write the lineage of each model, and yield the outcome for each."""
        for node in self._built:
            if node.is_built and node.id not in self._ready:
                yield from self._model(node)

    def _model(self, node: ProjectNode) -> Iterator[BuiltModel]:
        self._ready.add(node.id)
        for each in map(self._project.nodes.__getitem__, self._opened.reads(node)):
            yield from self._prepare(each)
        before, reason = self.trace.triples, ""
        try:
            with collector_paused():
                self._write(node)
        except NotCovered as error:
            reason = error.found or error.wanted
            self._mark_unknown(node)
        yield BuiltModel(node.name, self.trace.triples - before, reason)

    def _prepare(self, node: ProjectNode) -> Iterator[BuiltModel]:
        """Make the rows of a table or view available to later queries."""
        if node.id in self._ready:
            return
        if node.kind in ("model", "snapshot", "seed") and node in self._built:
            yield from self._model(node)
        elif not self._opened.is_table(self._opened.stored(node)):
            self._ready.add(node.id)
            try:
                if node.kind == "source":
                    self._opened.stand_in(node, f"from {node.relation}")
                else:
                    self._rows.view(node, f"from {node.relation}")
            except NotCovered:
                self._mark_unknown(node)
            except duckdb.Error:
                pass  # the models that read it are refused

    def _write(self, node: ProjectNode) -> None:
        """Write the lineage of a model. Raises NotCovered if it is not supported."""
        if node.kind == "seed":
            self._seeds.seed(node)
            return
        if node.language == "python":
            raise NotCovered("Its rows have no lineage", "It is a Python model")
        if not node.text:
            raise NotCovered("Its rows have no lineage", "dbt has not compiled it in this run")
        if node.materialized == "view":
            self._rows.view(node, self._opened.text(node))
        elif not self._opened.is_table(self._opened.stored(node)):
            raise NotCovered(
                "Its rows have no lineage", f"It is materialised as {node.materialized}"
            )
        elif node.kind == "snapshot":
            self._snapshots.snapshot(node)
        elif node.materialized == "incremental":
            self._rows.incremental(node)
        else:
            self._rows.table(node)

    def _name_all(self, node: ProjectNode) -> None:
        """Name all rows of a table that this run has built; their version is the run's number."""
        place = self._opened.stored(node)
        if self._opened.is_table(place):
            key = self.names.key(node, place)
            self.names.keep(node, key, self.names.named(node, place, key), mixed=False)

    def _mark_unknown(self, node: ProjectNode) -> None:
        """Derive the rows of a model from an item that represents unknown lineage."""
        place = self._opened.stored(node)
        if self._opened.is_table(place):
            self._name_all(node)
        else:
            try:
                place = self._opened.stand_in(node, f"from {node.relation}")
            except duckdb.Error:
                return  # it has no rows that a model could read
            self.names.name_view(node, place)
        self._write_unknown(node, self.names.in_order(place), self.names.run)

    def unknown_before(self) -> None:
        """Derive rows that were not built by a run with lineage from items for unknown lineage."""
        for id_, names in self.names.unknown.items():
            self._write_unknown(self._project.nodes[id_], names, self.names.run - 1)

    def _write_unknown(self, node: ProjectNode, names: pa.Array, run: int) -> None:
        op = ModelOp(f"{node.name}: not followed", "unknown", "", "", node.file, "task")
        source = pa.repeat(f"{UNKNOWN}/{node.name}@{run}", len(names))
        self.trace.write(op, node.name, names, UNKNOWN, source, "input")
