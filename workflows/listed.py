"""Lists for people and programs: revisions, and the results of their executions."""

from dataclasses import dataclass

from provhouse.store.warehouse.layout import Layout

from .executions import executions_of, not_offered, results_of
from .result_files import result_path
from .revisions import no_workflow, revisions_of


@dataclass(frozen=True)
class ListedRevision:
    """One revision."""

    revision: str
    sinks: tuple[str, ...]
    language: str
    time: str
    changes: tuple[str, ...]
    """The operators that only this revision (+) or only the previous one (-) has."""


@dataclass(frozen=True)
class Revisions:
    """The revisions of a workflow, or the newest one of each workflow."""

    workflow: str | None
    revisions: tuple[ListedRevision, ...]


@dataclass(frozen=True)
class ListedResult:
    """The result of one sink of an execution."""

    revision: str
    sink: str
    execution: str
    ended: str
    result: str
    records: int
    bytes: int
    inputs: tuple[str, ...]
    reused_from: str
    hindrance: str
    """The reason why the result cannot be used; empty if it can."""
    path: str


@dataclass(frozen=True)
class Results:
    """The results of a workflow, the newest last."""

    workflow: str
    results: tuple[ListedResult, ...]


def list_revisions(layout: Layout, workflow: str | None) -> Revisions:
    """Return the revisions of a workflow; for None, the newest revision of each workflow.

    Raises NotFound if the workflow has no revision.
    """
    known = revisions_of(layout, workflow)
    if workflow is not None and not known:
        raise no_workflow(layout, workflow)
    if workflow is None:
        known = [*{revision.name.workflow: revision for revision in known}.values()]
    listed = (
        ListedRevision(
            str(each.name),
            tuple(each.sinks),
            next(iter(each.sinks.values())).source,
            each.time,
            each.changes,
        )
        for each in known
    )
    return Revisions(workflow, tuple(listed))


def list_results(layout: Layout, workflow: str) -> Results:
    """Return the results of a workflow; raise NotFound if it has no revision."""
    if not revisions_of(layout, workflow):
        raise no_workflow(layout, workflow)
    known = results_of(layout)
    listed = (
        ListedResult(
            str(each.revision),
            each.sink,
            each.execution,
            each.ended,
            each.result,
            known[each.result].records,
            known[each.result].bytes,
            tuple(f"{pin.table}={pin.shown}" for pin in each.inputs),
            each.reused_from,
            each.broken or not_offered(layout, known[each.result]),
            str(result_path(layout, each.result)),
        )
        for each in executions_of(layout)
        if each.revision.workflow == workflow
    )
    return Results(workflow, tuple(listed))
