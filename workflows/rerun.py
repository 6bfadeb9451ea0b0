"""Update the result of a revision after records of one table have changed.

The columns of the table that divide the query (``slices.py``) determine which records of the result
a changed record can affect: the records with its old or new values in these columns. Only these
slices are executed again, on all their records; the other records of the earlier result are kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from provhouse.equivalence.plan_form import doubts
from provhouse.model.errors import BadInput, NotFound
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.sql.quoting import quoted
from provhouse.store.warehouse.layout import Layout

from .changed_slices import ChangedSlices, changed_slices, same_values
from .executed import executed_rows
from .executions import (
    Execution,
    add_execution,
    broken_for,
    executions_of,
    not_offered,
    results_of,
)
from .expression_sql import plain_type
from .parts import NotContained
from .pinned_data import pins_of, scans_of
from .pinned_inputs import InputPin, TablePath, pinned
from .result_files import ResultFile, result_path
from .revision_names import RevisionName, revision_name
from .revision_tables import now
from .revisions import SinkPlan, find_revision
from .slices import NotDivided, slice_columns

REMEDY = "Execute the revision as a whole"


@dataclass(frozen=True)
class RecomputedResult:
    """A result that was computed from an earlier one."""

    of: str
    """The execution with the earlier result."""
    table: str
    """The table whose records have changed."""
    divided_by: tuple[str, ...]
    """The columns that divide the result into slices."""
    slices: int
    """The number of slices that changed records affect."""
    kept: int
    """The number of records that were kept from the earlier result."""
    computed: int
    """The number of records that were computed again."""


@dataclass(frozen=True)
class Rerun(RecomputedResult):
    """The stored result of a revision, of which only the affected records were computed again."""

    revision: str
    sink: str
    execution: str
    result: str
    path: str


def rerun(
    revision: str,
    sink: str,
    path: Path,
    inputs: Mapping[str, str],
    settings: Settings,
    progress: Progress,
) -> Rerun:
    """Write the result of a sink on changed inputs to a Parquet file, and store the execution.

    Raises NotFound without an earlier execution, BadInput if the query cannot be divided or if
    inputs cannot be read, and Busy if another writer is active.
    """
    name, started = revision_name(revision), now()
    found = recomputed(Layout(settings.warehouse), name, sink, pinned(inputs), path)
    done = add_execution(name, {sink: path}, inputs, settings, progress, started=started,
                         reused_from=found.of)  # fmt: skip
    return Rerun(**asdict(found), revision=revision, sink=sink, execution=done.execution,
                 result=done.results[0], path=str(path))  # fmt: skip


def recomputed(
    layout: Layout, name: RevisionName, sink: str, pins: Sequence[InputPin], path: Path
) -> RecomputedResult:
    """Write the result of a sink on pinned inputs to a Parquet file, from an earlier result.

    Raises NotFound and BadInput as ``rerun`` does.
    """
    _, plan = find_revision(layout, name).sink(sink)
    if reason := next(iter(doubts(plan.plan)), "") or broken_for(plan, pins):
        raise _refused(name, reason)
    earlier, table = _earlier(layout, name, sink, plan, pins)
    stored = results_of(layout)[earlier.result]
    if reason := not_offered(layout, stored):
        raise _refused(name, reason)
    key = _key(name, plan, table, stored)
    found = _changed(plan, table, [*key.values()], earlier.inputs, pins)
    rows = executed_rows(plan, pins, stored.columns, stored.types, {table: found.rows})
    kept = _kept(layout, stored, key, found.values)
    pq.write_table(pa.concat_tables([kept, rows.cast(kept.schema)]), path)
    by, counts = tuple(key.values()), (found.values.num_rows, kept.num_rows, rows.num_rows)
    return RecomputedResult(earlier.execution, table[-1], by, *counts)


def _changed(
    plan: SinkPlan,
    table: TablePath,
    key: Sequence[str],
    before: Sequence[InputPin],
    after: Sequence[InputPin],
) -> ChangedSlices:
    """Return the slices of a table that changed records affect."""
    read = [name for name in scans_of(plan.plan)[table].names if name]
    states = pins_of([table], before)[table], pins_of([table], after)[table]
    return changed_slices(plan.ddl, table, read, key, states)


def _earlier(
    layout: Layout, name: RevisionName, sink: str, plan: SinkPlan, pins: Sequence[InputPin]
) -> tuple[Execution, TablePath]:
    """Return the plan's newest execution for which exactly one input differs, and that table."""
    tables = scans_of(plan.plan)
    wanted = pins_of(tables, pins)
    for each in reversed(executions_of(layout)):
        if (each.revision, each.sink) == (name, sink) and not each.broken:
            read = pins_of(tables, each.inputs)
            changed = [table for table in tables if wanted[table].identity != read[table].identity]
            if len(changed) == 1:
                return each, changed[0]
    raise NotFound(
        f"No execution of {name} can be continued",
        "None has read these inputs with exactly one table in another state",
        REMEDY,
    )


def _key(
    name: RevisionName, plan: SinkPlan, table: TablePath, stored: ResultFile
) -> dict[str, str]:
    """Return the columns that divide a result, and their names in the table."""
    if plan.ordered:
        raise _refused(name, "the order of the result depends on all records")
    try:
        found = slice_columns(plan.plan.root, table)
        types = {at: plain_type(plan.plan.root.columns[at].type) for at in found}
    except NotDivided as error:
        raise _refused(name, str(error)) from error
    except NotContained as error:
        raise _refused(name, "a column that divides it has a type that is not known") from error
    same = {stored.columns[at]: each for at, each in found.items() if types[at] == stored.types[at]}
    unique = set(scans_of(plan.plan)[table].unique)
    if unique and unique <= set(same.values()):
        same = {column: each for column, each in same.items() if each in unique}
    if not same:
        raise _refused(name, f"no stored column of {table[-1]} divides the result")
    return same


def _kept(layout: Layout, stored: ResultFile, key: Mapping[str, str], values: pa.Table) -> pa.Table:
    """Return the records of a result that belong to none of the slices."""
    with duckdb.connect() as con:
        con.register("stored", ds.dataset(str(result_path(layout, stored.result))))
        con.register("touched", values)
        same = same_values(
            {each: f"stored.{quoted(column)}" for column, each in key.items()}, "touched"
        )
        return con.sql(f"from stored anti join touched on {same}").to_arrow_table()


def _refused(name: RevisionName, reason: str) -> BadInput:
    return BadInput(f"{name} cannot be computed again in part", reason, REMEDY)
