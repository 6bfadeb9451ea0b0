"""Executions of revisions: the pinned inputs that a sink has read, and its result."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from provhouse.commit.single_writer import only_writer
from provhouse.equivalence.plan_form import doubts
from provhouse.model.errors import BadInput, NotFound
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.tables.registry import EXECUTIONS, RESULTS
from provhouse.store.warehouse.layout import Layout

from .constraints import broken_constraint
from .pinned_data import pins_of, scans_of
from .pinned_inputs import InputPin, files_of, pinned
from .result_files import STORED, ResultFile, is_intact, result_path, store_result
from .revision_names import RevisionName
from .revision_tables import add_rows, now, read_rows
from .revisions import SinkPlan, find_revision

FINISHED, FAILED = "finished", "failed"
"""The states of an execution, which is stored when it has ended."""


@dataclass(frozen=True, kw_only=True)
class Execution:
    """One sink of an execution that has ended."""

    execution: str
    revision: RevisionName
    sink: str
    inputs: tuple[InputPin, ...] = ()
    result: str = ""
    """The digest of the result; empty if the execution has failed."""
    started: str = ""
    """The time when it started, in ISO 8601; empty if it is not known."""
    ended: str = field(default_factory=now)
    """The time when it ended; if this is not known, the time when it was stored."""
    state: str = FINISHED
    broken: str = ""
    """Why the DDL's constraints cannot be relied on for these inputs; empty if they can."""
    reused_from: str = ""
    """The execution from whose result all or some rows were taken; empty if all were computed."""
    run: str = ""


@dataclass(frozen=True)
class RegisteredJob:
    """The revision of a job that has run, and notes on anything that could not be stored."""

    revision: str
    """Empty if the job is not a revision."""
    notes: tuple[str, ...]
    results: int = 0
    """The number of results that are stored."""


@dataclass(frozen=True)
class RegisteredExecution:
    """The results of an execution that has just been stored."""

    execution: str
    revision: str
    results: tuple[str, ...]
    doubts: tuple[str, ...]
    """Why results will not be reused; empty if they may be."""


def add_execution(
    name: RevisionName,
    files: Mapping[str, Path],
    inputs: Mapping[str, str],
    settings: Settings,
    progress: Progress,
    *,
    key: Sequence[str] = (),
    run: str = "",
    started: str = "",
    reused_from: str = "",
) -> RegisteredExecution:
    """Store the results, by sink, that an execution of a revision has written.

    ``Execution`` explains the other arguments. Raises NotFound if the revision or a sink is not
    stored, BadInput if inputs or files do not match the revision, and Busy if another writer is
    active.
    """
    layout = Layout(settings.warehouse)
    revision = find_revision(layout, name)
    sinks = {sink: revision.sink(sink)[1] for sink in files}
    given = pinned(inputs)
    _check_inputs(given, sinks)
    broken = {sink: broken_for(each, given) for sink, each in sinks.items()}
    execution, done = new_execution(), list[Execution]()
    with only_writer(settings, progress):
        progress.begin("Store the results")
        for sink, plan in sinks.items():
            own, read = key or plan.identifying, files_of(files[sink])
            done.append(
                Execution(
                    execution=execution, revision=name, sink=sink, inputs=given,
                    result=add_result(layout, read, plan, own), started=started,
                    broken=broken[sink], reused_from=reused_from, run=run,
                )
            )  # fmt: skip
        add_executions(layout, done)
    reasons = [
        *broken.values(),
        *(reason for each in sinks.values() for reason in doubts(each.plan)),
    ]
    results = tuple(each.result for each in done)
    unsure = tuple(dict.fromkeys(filter(None, reasons)))
    return RegisteredExecution(execution, str(name), results, unsure)


def new_execution() -> str:
    """Return a new id of an execution."""
    return secrets.token_hex(8)


def add_result(layout: Layout, files: Sequence[Path], plan: SinkPlan, key: Sequence[str]) -> str:
    """Store the result of a sink from Parquet files; return its digest.

    Only the single writer may call this. Raises BadInput if the files do not fit the sink.
    """
    known = results_of(layout)
    found = store_result(layout, files, plan.plan.names, key, known, ordered=plan.ordered)
    if found is not known.get(found.result):
        add_rows(layout, RESULTS, [asdict(found)])
    return found.result


def add_executions(layout: Layout, executions: Sequence[Execution]) -> None:
    """Store executions; only the single writer may call this."""
    add_rows(layout, EXECUTIONS, [_row(each) for each in executions])


def broken_for(sink: SinkPlan, pins: Sequence[InputPin]) -> str:
    """Return why the constraints of a sink's DDL cannot be relied on for pinned inputs."""
    tables = pins_of(scans_of(sink.plan), pins)
    return broken_constraint(sink.ddl, tables) if sink.source == "sql" else ""


def executions_of(layout: Layout) -> list[Execution]:
    """Return the finished executions of sinks, in the order in which they were stored."""
    return [each for each in ended_executions(layout) if each.state == FINISHED]


def ended_executions(layout: Layout) -> list[Execution]:
    """Return all executions of sinks, also failed ones, in the order in which they were stored."""
    return [_execution(row) for row in read_rows(layout, EXECUTIONS)]


def input_places(layout: Layout) -> set[Path]:
    """Return the files and folders that executions have read."""
    pins = (pin for each in ended_executions(layout) for pin in each.inputs)
    return {pin.path for pin in pins if pin.path}


def newest_execution(layout: Layout, name: RevisionName, sink: str) -> Execution:
    """Return the newest execution of a revision's sink; raise NotFound if there is none."""
    found = [each for each in executions_of(layout) if (each.revision, each.sink) == (name, sink)]
    if not found:
        raise NotFound(
            f"No execution of {name} has a result of the sink {sink}",
            "Its results are not stored",
            f"Store one: provhouse revisions run {name} {sink}=FILE --inputs TABLE=PLACE",
        )
    return found[-1]


def results_of(layout: Layout) -> dict[str, ResultFile]:
    """Return the newest record of each result, by its digest."""
    names = [each.name for each in fields(ResultFile)]
    rows = ({name: row[name] for name in names} for row in read_rows(layout, RESULTS))
    found = (ResultFile(**{**row, **_tuples(row)}) for row in rows)
    return {each.result: each for each in found}


def not_offered(layout: Layout, known: ResultFile | None) -> str:
    """Return a clause that states why a result cannot be offered; empty if it can."""
    if known is None:
        return "the result is not stored"
    if known.state != STORED:
        return f"the result is {known.state}"
    if not result_path(layout, known.result).exists():
        return "the file of the result was removed"
    return "" if is_intact(layout, known) else "the file of the result has changed"


def _tuples(row: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    return {name: tuple(value) for name, value in row.items() if isinstance(value, list)}


def _check_inputs(pins: Sequence[InputPin], sinks: Mapping[str, SinkPlan]) -> None:
    """Raise BadInput if a sink reads a table without a pin, or if a pin names no table."""
    used = {pin for each in sinks.values() for pin in pins_of(scans_of(each.plan), pins).values()}
    if unused := [pin.table for pin in pins if pin not in used]:
        raise BadInput(
            f"The revision does not read {unused[0]}",
            "No scan of its plan has this name",
            "Leave it out, or correct the name",
        )


def _row(execution: Execution) -> dict[str, Any]:
    values = {each.name: getattr(execution, each.name) for each in fields(Execution)}
    inputs = json.dumps([asdict(pin) for pin in execution.inputs])
    workflow, number = execution.revision
    return {**values, "workflow": workflow, "revision": number, "inputs": inputs}


def _execution(row: Mapping[str, Any]) -> Execution:
    values = {each.name: row[each.name] for each in fields(Execution)}
    name = RevisionName(row["workflow"], row["revision"])
    inputs = tuple(InputPin(**pin) for pin in json.loads(row["inputs"]))
    return Execution(**{**values, "revision": name, "inputs": inputs})
