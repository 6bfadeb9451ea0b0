"""Revisions of workflows: for each sink of a workflow, its query as source text and as a plan."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any

from provhouse.commit.single_writer import only_writer
from provhouse.equivalence.keys import PlanKeys, plan_keys
from provhouse.equivalence.plan_form import Filter, Limit, PlanForm, Project, Sort
from provhouse.equivalence.plan_json import from_json, to_json
from provhouse.equivalence.variation import unique_keys
from provhouse.model.errors import NotFound
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.tables.registry import REVISIONS
from provhouse.store.warehouse.identity import create_identity
from provhouse.store.warehouse.layout import Layout

from .adapters import ADAPTERS
from .changes import changes
from .revision_names import RevisionName, check_workflow
from .revision_tables import add_rows, read_rows

CAPTURED = "capture"
"""The source of the plans of captured writes."""


@dataclass(frozen=True)
class SinkPlan:
    """The query of one sink of a revision: its text and its plan."""

    source: str
    text: str
    ddl: str
    form: str
    """The plan as JSON."""
    key: str
    """The key of the entire plan."""

    @classmethod
    def of(cls, source: str, text: str, ddl: str) -> "SinkPlan":
        """Return the plan of a source text. Raises BadInput if the text has none."""
        plan = ADAPTERS[source](text, ddl)
        return cls(source, text, ddl, to_json(plan), plan_keys(plan).whole)

    @classmethod
    def of_plan(cls, source: str, plan: PlanForm) -> "SinkPlan":
        """Return a sink for a plan without text."""
        return cls(source, "", "", to_json(plan), plan_keys(plan).whole)

    @cached_property
    def plan(self) -> PlanForm:
        """The plan."""
        return from_json(self.form)

    @property
    def ordered(self) -> bool:
        """Whether the rows are ordered by an outermost ORDER BY."""
        root = self.plan.root
        while isinstance(root, Project | Filter | Limit):
            (root,) = root.inputs
        return isinstance(root, Sort)

    @property
    def identifying(self) -> tuple[str, ...]:
        """Columns whose values are certainly distinct for all rows; empty if none are known."""
        names = self.plan.names
        found = [tuple(names[at] for at in sorted(key)) for key in unique_keys(self.plan.root)]
        return next((key for key in found if key), ())

    @cached_property
    def keys(self) -> PlanKeys:
        """The keys of the plan."""
        return plan_keys(self.plan)


@dataclass(frozen=True)
class Revision:
    """One revision of a workflow."""

    name: RevisionName
    time: str
    changes: tuple[str, ...]
    """The operators that were added and removed since the previous revision."""
    sinks: Mapping[str, SinkPlan]

    def sink(self, name: str | None = None) -> tuple[str, SinkPlan]:
        """Return a sink by name, or the only sink for None; raise NotFound if there is none.

        Without a name, several sinks are also an error.
        """
        if name is None and len(self.sinks) == 1:
            (name,) = self.sinks
        if name is None or name not in self.sinks:
            wanted = f"{self.name} has no sink {name}" if name else f"{self.name} has several sinks"
            listed = f"Its sinks are {', '.join(self.sinks)}"
            raise NotFound(wanted, listed, "Name one of them with --sink")
        return name, self.sinks[name]


@dataclass(frozen=True)
class Added:
    """A revision that was added, or the newest one if nothing had changed."""

    revision: str
    new: bool
    changes: tuple[str, ...]


def add_revision(
    workflow: str,
    texts: Mapping[str, str],
    source: str,
    ddl: str,
    settings: Settings,
    progress: Progress,
) -> Added:
    """Store a revision with a query for each sink, unless it equals the newest revision.

    Raises BadInput if a text has no plan, and Busy if another writer is active.
    """
    check_workflow(workflow)
    sinks = {sink: SinkPlan.of(source, text, ddl) for sink, text in texts.items()}
    return store_revision(workflow, sinks, settings, progress)


def store_revision(
    workflow: str, sinks: Mapping[str, SinkPlan], settings: Settings, progress: Progress
) -> Added:
    """Store a revision with a plan for each sink, unless it equals the newest one.

    Raises Busy if another writer is active.
    """
    layout = Layout(settings.warehouse)
    with only_writer(settings, progress):
        create_identity(layout)
        known = revisions_of(layout, workflow)
        if known and known[-1].sinks == sinks:
            return Added(str(known[-1].name), new=False, changes=known[-1].changes)
        name = RevisionName(workflow, len(known) + 1)
        found = changes(_plans(known[-1].sinks) if known else {}, _plans(sinks))
        add_rows(layout, REVISIONS, _rows(name, sinks, found))
    return Added(str(name), new=True, changes=found)


def revisions_of(layout: Layout, workflow: str | None = None) -> list[Revision]:
    """Return the revisions of a workflow, or of all workflows, in order."""
    found: dict[RevisionName, list[dict[str, Any]]] = {}
    for row in read_rows(layout, REVISIONS):
        if workflow in (None, row["workflow"]):
            found.setdefault(RevisionName(row["workflow"], row["revision"]), []).append(row)
    return [_revision(name, found[name]) for name in sorted(found)]


def find_revision(layout: Layout, name: RevisionName) -> Revision:
    """Return a revision by its name; raise NotFound if it is not stored."""
    known = revisions_of(layout, name.workflow)
    if not known:
        raise no_workflow(layout, name.workflow)
    for revision in known:
        if revision.name == name:
            return revision
    raise NotFound(
        f"The revision {name} is not stored",
        f"The newest one is {known[-1].name}",
        f"Add it with `provhouse revisions add {name.workflow} FILE`",
    )


def no_workflow(layout: Layout, workflow: str) -> NotFound:
    """Return the error for a workflow without revisions."""
    names = sorted({revision.name.workflow for revision in revisions_of(layout)})
    return NotFound(
        f"The workflow {workflow} has no revision",
        f"Workflows: {', '.join(names)}" if names else "The warehouse has no workflow",
        f"Add one with `provhouse revisions add {workflow} FILE`",
    )


def _plans(sinks: Mapping[str, SinkPlan]) -> dict[str, PlanForm]:
    return {name: each.plan for name, each in sinks.items()}


def _rows(
    name: RevisionName, sinks: Mapping[str, SinkPlan], changed: tuple[str, ...]
) -> list[dict[str, Any]]:
    return [
        {
            "workflow": name.workflow,
            "revision": name.number,
            "sink": sink,
            **asdict(each),
            "changes": list(changed),
        }
        for sink, each in sinks.items()
    ]


def _revision(name: RevisionName, rows: list[dict[str, Any]]) -> Revision:
    sinks = {row["sink"]: SinkPlan(*(row[each.name] for each in fields(SinkPlan))) for row in rows}
    return Revision(name, rows[0]["time"], tuple(rows[0]["changes"]), sinks)
