"""The nodes in Neo4j for revisions, executions and results. They are for people only."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from provhouse.cypher.graph import Graph
from provhouse.store.warehouse.layout import Layout

from .executions import executions_of, results_of
from .proofs import EQUAL, stored_proofs
from .revisions import Revision, revisions_of

MOST_REVISIONS: Final = 1_000
"""The maximum number of revisions with a node: the newest ones."""
Row = dict[str, Any]


def show_revisions(graph: Graph, layout: Layout) -> None:
    """Replace all nodes about revisions in Neo4j."""
    revisions = sorted(revisions_of(layout), key=lambda each: each.time)[-MOST_REVISIONS:]
    shown = {str(each.name) for each in revisions}
    graph.prepare()
    graph.show_revisions(
        {
            "revisions": [_revision(each) for each in revisions],
            "revisions_next": [_next(each) for each in revisions if each.name.number > 1],
            "revisions_equal": [*_equals(layout, revisions)],
            "executions": [*_executions(layout, shown)],
        }
    )


def _revision(revision: Revision) -> Row:
    return {
        "workflow": revision.name.workflow,
        "name": str(revision.name),
        "number": revision.name.number,
        "time": revision.time,
        "sinks": [*revision.sinks],
    }


def _next(revision: Revision) -> Row:
    before = revision.name._replace(number=revision.name.number - 1)
    return {"before": str(before), "name": str(revision.name), "changes": [*revision.changes]}


def _equals(layout: Layout, revisions: Sequence[Revision]) -> Iterator[Row]:
    """Yield, for each sink, the first revision that certainly returns the same rows."""
    proofs = stored_proofs(layout).verdicts
    equal = [tuple(each.pair) for each in proofs.values() if each.verdict == EQUAL]
    first: dict[str, str] = {}
    for revision in revisions:
        name = str(revision.name)
        for sink, plan in revision.sinks.items():
            row = {"name": name, "sink": sink}
            if first.get(plan.key, name) != name:
                yield {**row, "equals": first[plan.key], "by": "key"}
            for one, other in equal if plan.key not in first else ():
                key = {one: other, other: one}.get(plan.key)
                if key in first:
                    yield {**row, "equals": first[key], "by": "proof"}
            first.setdefault(plan.key, name)


def _executions(layout: Layout, shown: set[str]) -> Iterator[Row]:
    results = results_of(layout)
    for each in executions_of(layout):
        if str(each.revision) in shown:
            yield {
                "revision": str(each.revision),
                "execution": each.execution,
                "ended": each.ended,
                "inputs": [f"{pin.table}={pin.shown}" for pin in each.inputs],
                "result": each.result,
                "records": results[each.result].records,
                "state": results[each.result].state,
                "sink": each.sink,
            }
