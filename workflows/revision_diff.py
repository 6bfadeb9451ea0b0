"""The difference between two revisions, and its effect on the result of a sink."""

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from provhouse.equivalence.first_difference import first_difference
from provhouse.model.errors import UsageError
from provhouse.sql.time_limit import interrupted
from provhouse.store.warehouse.layout import Layout

from .causes import set_causes
from .changes import changes
from .executions import Execution, newest_execution, not_offered, results_of
from .pinned_inputs import InputPin
from .proofs import prove, stored_proofs
from .record_diff import (
    RecordChange,
    Shape,
    compare_records,
    counts,
    first_changes,
    shape_of,
)
from .result_files import ResultFile
from .revision_names import revision_name
from .revisions import SinkPlan, find_revision

WITHOUT_KEY = "Without a key, a record that changed is one that went and one that came"


@dataclass(frozen=True)
class CauseCount:
    """The number of records with one kind of difference and one cause."""

    kind: str
    cause: str
    records: int


@dataclass(frozen=True)
class RecordsDiff:
    """The records that differ between two results of a sink."""

    key: tuple[str, ...]
    """The columns that identify a record; empty without a key."""
    came: int
    went: int
    changed: int
    causes: tuple[CauseCount, ...]
    records: tuple[RecordChange, ...]
    columns_came: tuple[str, ...]
    columns_went: tuple[str, ...]
    columns_retyped: tuple[str, ...]
    buckets: int
    """The number of buckets of each result; 0 if all rows were compared."""
    unequal: int
    """The number of buckets with rows that differ."""
    notes: tuple[str, ...]


@dataclass(frozen=True)
class RevisionDiff:
    """The difference between two revisions in one sink."""

    before: str
    after: str
    sink: str
    verdict: str
    """The verdict on the two queries: equal, different or unknown."""
    reason: str
    changes: tuple[str, ...]
    operator: str
    """The first operator of the later query that differs, or the scan of a changed input."""
    inputs: tuple[str, ...]
    """The inputs that the newest executions have read in different states."""
    results: RecordsDiff | None
    """The records that differ; None if they were not requested."""


def diff_revisions(
    layout: Layout,
    before: str,
    after: str,
    sink: str | None = None,
    *,
    records: bool = False,
    key: Sequence[str] = (),
    limit: int = 100,
) -> RevisionDiff:
    """Return the changes between two revisions and, with ``records``, between their results.

    Raises NotFound if a revision, its sink or, for records, an execution is not stored.
    """
    names = revision_name(before), revision_name(after)
    (sink, old), (_, new) = (find_revision(layout, name).sink(sink) for name in names)
    proof = stored_proofs(layout).verdicts.get(frozenset((old.key, new.key))) or prove(old, new)
    operator = first_difference((old.plan, new.plan), (old.keys, new.keys))
    listed = changes({sink: old.plan}, {sink: new.plan})
    inputs: tuple[str, ...] = ()
    found = None
    if records:
        one, other = (newest_execution(layout, name, sink) for name in names)
        inputs = changed_inputs(one, other)
        found = _records(layout, (old, new), (one, other), key, limit, inputs)
        operator = operator or (f"scan of {inputs[0].split(':')[0]}" if inputs else "")
    return RevisionDiff(
        before, after, sink, proof.verdict, proof.reason, listed, operator, inputs, found
    )


def changed_inputs(one: Execution, other: Execution) -> tuple[str, ...]:
    """Return the inputs whose states differ, with both states."""
    first, second = ({pin.table: pin for pin in each.inputs} for each in (one, other))
    return tuple(
        f"{table}: {_shown(first.get(table))} to {_shown(second.get(table))}"
        for table in sorted({*first, *second})
        if table not in first
        or table not in second
        or first[table].identity != second[table].identity
    )


def _records(
    layout: Layout,
    plans: tuple[SinkPlan, SinkPlan],
    executions: tuple[Execution, Execution],
    key: Sequence[str],
    limit: int,
    inputs: Sequence[str],
) -> RecordsDiff:
    one, other = results = _results(layout, executions)
    shape = shape_of(one, other)
    chosen = _key(results, key, shape)
    notes = [] if chosen else [WITHOUT_KEY]
    temporary = str(layout.staging)
    with duckdb.connect(config={"temp_directory": temporary}) as con, interrupted(con):
        con.execute("set TimeZone = 'UTC'")
        buckets, unequal = compare_records(con, layout, results, chosen, shape)
        note = set_causes(con, layout, plans, executions, results, shape, chosen, inputs)
        number = counts(con)
        listed = "select kind, cause, count(*) from differences group by all order by all"
        return RecordsDiff(
            key=chosen,
            **number,
            causes=tuple(CauseCount(*row) for row in con.execute(listed).fetchall()),
            records=tuple(first_changes(con, shape.columns, limit)),
            columns_came=shape.came,
            columns_went=shape.went,
            columns_retyped=shape.retyped,
            buckets=buckets,
            unequal=unequal,
            notes=(*notes, *([note] if note else [])),
        )


def _results(
    layout: Layout, executions: tuple[Execution, Execution]
) -> tuple[ResultFile, ResultFile]:
    known = results_of(layout)
    for each in executions:
        if reason := not_offered(layout, known.get(each.result)):
            raise UsageError(
                f"The records of {each.revision} cannot be compared",
                f"In its newest execution, {reason}",
                "Execute it again, and store the result",
            )
    one, other = (known[each.result] for each in executions)
    return one, other


def _key(
    results: tuple[ResultFile, ResultFile], key: Sequence[str], shape: Shape
) -> tuple[str, ...]:
    """Return the columns that identify a record: the given ones, or the key of both results."""
    if missing := [name for name in key if name not in shape.columns]:
        raise UsageError(
            f"The results have no column {missing[0]} in common",
            f"Their common columns are {', '.join(shape.columns)}",
            "Name one of these with --key",
        )
    one, other = results
    return tuple(key) or (one.key if one.key == other.key else ())


def _shown(pin: InputPin | None) -> str:
    return pin.shown if pin else "not read"
