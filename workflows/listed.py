"""Lists for people and programs: revisions, and the results of their executions."""

from dataclasses import dataclass

from provhouse.store.warehouse.layout import Layout

from .executions import FAILED, Execution, ended_executions, not_offered, results_of
from .result_files import ResultFile, result_path
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
    started: str
    """The time when it started; empty if it is not known."""
    ended: str
    state: str
    """``finished`` or ``failed``."""
    result: str
    records: int
    bytes: int
    inputs: tuple[str, ...]
    reused_from: str
    """The execution from whose result all or some rows were taken; empty if all were computed."""
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
    found = (each for each in ended_executions(layout) if each.revision.workflow == workflow)
    return Results(workflow, tuple(_listed(layout, each, known.get(each.result)) for each in found))


def _listed(layout: Layout, each: Execution, stored: ResultFile | None) -> ListedResult:
    return ListedResult(
        revision=str(each.revision),
        sink=each.sink,
        execution=each.execution,
        started=each.started,
        ended=each.ended,
        state=each.state,
        result=each.result,
        records=stored.records if stored else 0,
        bytes=stored.bytes if stored else 0,
        inputs=tuple(f"{pin.table}={pin.shown}" for pin in each.inputs),
        reused_from=each.reused_from,
        hindrance=each.broken or _not_offered(layout, each, stored),
        path=str(result_path(layout, each.result)) if stored else "",
    )


def _not_offered(layout: Layout, each: Execution, stored: ResultFile | None) -> str:
    failed = each.state == FAILED
    return "the execution has failed" if failed else not_offered(layout, stored)
