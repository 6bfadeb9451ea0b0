"""Find the new or changed descriptions of ops and modules, which a job stores."""

from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.columns import BORN, MODULE, NAME, OP, OPERATION, PART, WORKFLOW
from provhouse.model.errors import BadInput
from provhouse.store.tables.modules import (
    DECLARED,
    MODULES,
    OP_PART,
    contradiction,
    modules_of,
)
from provhouse.store.tables.operations import DESCRIBED, OPERATIONS, operations_of

from ..job import Job


def new_descriptions(job: Job) -> dict[str, pa.Table]:
    """Return the rows that a job adds to each table of descriptions, without the column ``ingest``.

    Raises BadInput if an op would then be part of two modules.
    """
    operations, modules = new_operations(job), _new_modules(job)
    if operations.num_rows or modules.num_rows:
        _check_modules(job, operations, modules)
    return {OPERATIONS: operations, MODULES: modules}


def _new_modules(job: Job) -> pa.Table:
    """Return the complete declarations of all modules that are new or whose declaration changes."""
    if job.inputs.modules is None:
        return DECLARED.empty_table()
    rows, before = job.inputs.modules.rows, job.snapshot()
    if BORN in rows.column_names:
        return rows
    shown = _by_module(modules_of(before)) if before else {}
    new = [name for name, said in _by_module(rows).items() if said != shown.get(name, _NOTHING)]
    rows = rows.filter(pc.is_in(rows[MODULE], pa.array(new, pa.string())))
    born = pa.repeat(pa.scalar(job.ids.generation, pa.int32()), len(rows))
    return rows.append_column(BORN, born).cast(DECLARED)


_Said = frozenset[tuple[str | None, ...]]
_NOTHING: _Said = frozenset({(None, None, None)})


def _by_module(rows: pa.Table) -> dict[str, _Said]:
    """Return, for each module, the set of facts that ``rows`` declare about it."""
    found: dict[str, set[tuple[str | None, ...]]] = {}
    columns = (rows[name].to_pylist() for name in (MODULE, WORKFLOW, PART, NAME))
    for module, *said in zip(*columns, strict=True):
        found.setdefault(module, set()).add((*said,))
    return {module: frozenset(said) for module, said in found.items()}


def _check_modules(job: Job, operations: pa.Table, modules: pa.Table) -> None:
    """Raise BadInput if, after this job, the descriptions put an op into two modules."""
    before = job.snapshot()
    ops, declared = (
        _replaced(of(before) if before else form.empty_table(), new, key).select(names)
        for of, form, new, key, names in (
            (operations_of, DESCRIBED, operations, OP, [OP, MODULE]),
            (modules_of, DECLARED, modules, MODULE, [MODULE, PART, NAME]),
        )
    )
    declared = declared.filter(pc.equal(declared[PART], OP_PART))
    if twice := contradiction(declared, ops):
        op, one, other = twice
        raise BadInput(
            f"The op {op!r} belongs to two modules",
            f"They are {one!r} and {other!r}",
            "Name it in one module only, or change its description; nothing was ingested",
        )


def _replaced(shown: pa.Table, new: pa.Table, key: str) -> pa.Table:
    """Return the new rows, and all shown rows whose key does not occur in a new row."""
    kept = shown.filter(pc.invert(pc.is_in(shown[key], new[key].combine_chunks())))
    return pa.concat_tables([kept, new.select(shown.column_names).cast(shown.schema)])


def new_operations(job: Job) -> pa.Table:
    """Return the rows that a job adds to the table ``operations``, without the column ``ingest``.

    Descriptions that the generation already shows are left out. In a compaction, a description
    keeps the generation that first added it as ``born``.
    """
    if job.inputs.operations is None:
        return DESCRIBED.empty_table()
    rows, before = job.inputs.operations.rows, job.snapshot()
    shown = operations_of(before) if before else DESCRIBED.empty_table()
    rows = rows.filter(_differ(rows, shown))
    if BORN in rows.column_names:
        return rows
    return rows.append_column(BORN, pa.repeat(pa.scalar(job.ids.generation, pa.int32()), len(rows)))


def _differ(rows: pa.Table, shown: pa.Table) -> pa.ChunkedArray:
    """Return a mask of the rows that differ from the shown description of the same op.

    A missing description counts as a description whose columns are all null.
    """
    at = pc.index_in(rows[OP], shown[OP].combine_chunks())
    return reduce(
        pc.or_,
        (
            pc.not_equal(rows[name].fill_null(""), shown[name].take(at).fill_null(""))
            for name in OPERATION[1:]
        ),
    )
