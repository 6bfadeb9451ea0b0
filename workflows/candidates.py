"""Executions whose results may be reused for a revision: those that read the same inputs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from provhouse.equivalence.keys import PlanKeys
from provhouse.model.errors import NotFound
from provhouse.store.warehouse.layout import Layout

from .executions import Execution, executions_of
from .pinned_data import pins_of, scans_of
from .pinned_inputs import InputPin, TablePath, pinned_now
from .revisions import SinkPlan, revisions_of


@dataclass(frozen=True)
class Candidate:
    """An execution with a stored result, and the plan that it executed."""

    execution: Execution
    sink: SinkPlan
    changed: tuple[str, ...]
    """The tables that the execution read in another state than the required one."""


def candidates(layout: Layout, plan: SinkPlan, pins: Sequence[InputPin]) -> list[Candidate]:
    """Return all executions, the newest first, each with its inputs that differ from ``pins``."""
    revisions = {revision.name: revision for revision in revisions_of(layout)}
    wanted = pins_of(scans_of(plan.plan), pins)
    found = []
    for execution in reversed(executions_of(layout)):
        sink = revisions[execution.revision].sinks[execution.sink]
        read = pins_of(scans_of(sink.plan), execution.inputs)
        found.append(Candidate(execution, sink, _changed(wanted, read)))
    return found


def pins_now(layout: Layout, workflow: str, plan: SinkPlan) -> tuple[InputPin, ...]:
    """Return the inputs of the workflow's newest execution that read all tables of the plan.

    The inputs are pinned to their current state. Raises NotFound if there is no such execution, and
    BadInput if one of the inputs cannot be read.
    """
    tables = scans_of(plan.plan)
    for execution in reversed(executions_of(layout)):
        named = all(any(pin.names(table) for pin in execution.inputs) for table in tables)
        if execution.revision.workflow == workflow and named:
            return pinned_now(pins_of(tables, execution.inputs).values())
    raise NotFound(
        f"The inputs of {workflow} are not known",
        "No execution has read all tables of this revision",
        "Name them with --inputs TABLE=DELTA@VERSION",
    )


def nearest(keys: PlanKeys, found: Sequence[Candidate]) -> list[Candidate]:
    """Sort candidates by the number of operators that they share with a plan, most first.

    Of several candidates with the same key, only the first is returned.
    """
    mine = Counter(keys.operators)
    distinct = {each.sink.key: each for each in reversed(found)}
    return sorted(
        distinct.values(), key=lambda each: -(mine & Counter(each.sink.keys.operators)).total()
    )


def _changed(
    wanted: Mapping[TablePath, InputPin], read: Mapping[TablePath, InputPin]
) -> tuple[str, ...]:
    both = [table for table in wanted if table in read]
    return tuple(t[-1] for t in both if wanted[t].identity != read[t].identity)
