"""Executions of revisions: the pinned inputs that a sink has read, and its result."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
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


@dataclass(frozen=True)
class Execution:
    """One sink of an execution that has ended."""

    execution: str
    revision: RevisionName
    sink: str
    ended: str
    inputs: tuple[InputPin, ...]
    broken: str
    """Why the DDL's constraints cannot be relied on for these inputs; empty if they can."""
    result: str
    reused_from: str
    """The execution whose result was reused; empty if the sink was computed."""
    run: str


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
) -> RegisteredExecution:
    """Store the results, by sink, that an execution of a revision has written.

    Raises NotFound if the revision or a sink is not stored, BadInput if inputs or files do not
    match the revision, and Busy if another writer is active.
    """
    layout = Layout(settings.warehouse)
    revision = find_revision(layout, name)
    sinks = {sink: revision.sink(sink)[1] for sink in files}
    given = pinned(inputs)
    _check_inputs(given, sinks)
    broken = {sink: broken_for(each, given) for sink, each in sinks.items()}
    execution, rows = secrets.token_hex(8), []
    with only_writer(settings, progress):
        progress.begin("Store the results")
        for sink, plan in sinks.items():
            known, names = results_of(layout), plan.plan.names
            own = key or plan.identifying
            read = files_of(files[sink])
            found = store_result(layout, read, names, own, known, ordered=plan.ordered)
            if found is not known.get(found.result):
                add_rows(layout, RESULTS, [asdict(found)])
            rows.append(
                execution_row(execution, name, sink, given, broken[sink], found.result, run)
            )
        add_rows(layout, EXECUTIONS, rows)
    reasons = [
        *broken.values(),
        *(reason for each in sinks.values() for reason in doubts(each.plan)),
    ]
    results = tuple(row["result"] for row in rows)
    unsure = tuple(dict.fromkeys(filter(None, reasons)))
    return RegisteredExecution(execution, str(name), results, unsure)


def broken_for(sink: SinkPlan, pins: Sequence[InputPin]) -> str:
    """Return why the constraints of a sink's DDL cannot be relied on for pinned inputs."""
    tables = pins_of(scans_of(sink.plan), pins)
    return broken_constraint(sink.ddl, tables) if sink.source == "sql" else ""


def executions_of(layout: Layout) -> list[Execution]:
    """Return all executions of sinks, in the order in which they were stored."""
    return [_execution(row) for row in read_rows(layout, EXECUTIONS)]


def input_places(layout: Layout) -> set[Path]:
    """Return the files and folders that executions have read."""
    pins = (pin for each in executions_of(layout) for pin in each.inputs)
    return {Path(pin.place) for pin in pins if pin.place}


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


def execution_row(
    execution: str,
    name: RevisionName,
    sink: str,
    inputs: Sequence[InputPin],
    broken: str,
    result: str,
    run: str,
) -> dict[str, Any]:
    """Return the record of a sink whose execution has just ended."""
    return {
        "execution": execution,
        "workflow": name.workflow,
        "revision": name.number,
        "sink": sink,
        "ended": now(),
        "inputs": json.dumps([asdict(pin) for pin in inputs]),
        "broken": broken,
        "result": result,
        "reused_from": "",
        "run": run,
    }


def _execution(row: Mapping[str, Any]) -> Execution:
    return Execution(
        row["execution"],
        RevisionName(row["workflow"], row["revision"]),
        row["sink"],
        row["ended"],
        tuple(InputPin(**pin) for pin in json.loads(row["inputs"])),
        row["broken"],
        row["result"],
        row["reused_from"],
        row["run"],
    )
