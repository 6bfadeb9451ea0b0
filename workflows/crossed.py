"""Executions of old code on new data, and of new code on old data, which users have stored.

provhouse does not execute a captured job again, so its user does. An execution is known by its code
and its data: its plan with the state of each input in the place of the input's name. So the data of
an earlier night may be in another folder, or be read as an earlier version of a Delta table.
"""

from collections.abc import Sequence
from dataclasses import replace

from provhouse.equivalence.keys import plan_keys
from provhouse.equivalence.plan_form import Operator, PlanForm, Scan
from provhouse.model.errors import BadInput
from provhouse.store.warehouse.layout import Layout

from .executions import Execution, executions_of
from .pinned_data import pins_of, scans_of
from .pins import Pin, TablePath
from .revisions import SinkPlan, revisions_of

VERSION = "version"
"""The word before the version of a Delta table in what a scan reads."""


def crossed(layout: Layout, plan: SinkPlan, pins: Sequence[Pin]) -> Execution:
    """Return the newest execution of a plan on pinned inputs, of any revision.

    Raises BadInput if there is none.
    """
    wanted = key_with_data(plan.plan, pins)
    revisions = {revision.name: revision for revision in revisions_of(layout)}
    for execution in reversed(executions_of(layout)):
        sink = revisions[execution.revision].sinks[execution.sink]
        if sink.source == plan.source and key_with_data(sink.plan, execution.inputs) == wanted:
            return execution
    raise BadInput(
        "The causes need two more executions",
        "The earlier job on the new inputs, or the later job on the old inputs, is not stored",
        "Execute both in a block of provhouse.capture with a workflow",
    )


def key_with_data(plan: PlanForm, pins: Sequence[Pin]) -> str:
    """Return the key of a plan in which the states of inputs replace their names."""
    read = pins_of(scans_of(plan), pins)
    return plan_keys(replace(plan, root=_with_data(plan.root, read))).whole


def _with_data(operator: Operator, read: dict[TablePath, Pin]) -> Operator:
    inputs = tuple(_with_data(each, read) for each in operator.inputs)
    if not isinstance(operator, Scan):
        return replace(operator, inputs=inputs)
    reading = list(operator.reading)
    if VERSION in reading:
        at = reading.index(VERSION)
        del reading[at : at + 2]
    return replace(operator, table=read[operator.table].identity, reading=tuple(reading))
