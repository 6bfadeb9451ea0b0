"""Executions of old code on new data, and of new code on old data, which users have stored.

provhouse does not execute a captured job again, so its user must do so. An execution is identified
by its code and its data: by its plan, in which the state of each input replaces the input's name.
So the data of an earlier night may be in another folder, or may be read as an earlier version of a
Delta table.
"""

from collections.abc import Sequence
from dataclasses import replace

from provhouse.equivalence.keys import plan_keys
from provhouse.equivalence.plan_form import Operator, PlanForm, Scan
from provhouse.model.errors import BadInput
from provhouse.store.warehouse.layout import Layout

from .executions import Execution, executions_of
from .pinned_data import pins_of, scans_of
from .pinned_inputs import InputPin, TablePath
from .revisions import SinkPlan, revisions_of

VERSION = "version"
"""The word that precedes a Delta table's version in a scan's description."""


def crossed(layout: Layout, plan: SinkPlan, pins: Sequence[InputPin]) -> Execution:
    """Return the newest execution of a plan on pinned inputs, in any revision.

    Raises BadInput if there is none.
    """
    wanted = key_with_data(plan.plan, pins)
    revisions = {revision.name: revision for revision in revisions_of(layout)}
    for execution in reversed(executions_of(layout)):
        sink = revisions[execution.revision].sinks[execution.sink]
        if sink.source == plan.source and key_with_data(sink.plan, execution.inputs) == wanted:
            return execution
    raise BadInput(
        "To find the causes, two more executions are needed",
        "The earlier job on the new inputs, or the later job on the old inputs, is not stored",
        "Execute both in a provhouse.capture block with a workflow",
    )


def key_with_data(plan: PlanForm, pins: Sequence[InputPin]) -> str:
    """Return the key of a plan in which the inputs' states replace their names."""
    read = pins_of(scans_of(plan), pins)
    return plan_keys(replace(plan, root=_with_data(plan.root, read))).whole


def _with_data(operator: Operator, read: dict[TablePath, InputPin]) -> Operator:
    inputs = tuple(_with_data(each, read) for each in operator.inputs)
    if not isinstance(operator, Scan):
        return replace(operator, inputs=inputs)
    reading = list(operator.reading)
    if VERSION in reading:
        at = reading.index(VERSION)
        del reading[at : at + 2]
    return replace(operator, table=read[operator.table].identity, reading=tuple(reading))
