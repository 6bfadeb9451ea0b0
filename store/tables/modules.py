"""Read the modules that one generation declares: their ops, and the tables that they use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import PartitionNumber
from provhouse.model.columns import (
    BORN,
    DERIVED,
    EXECUTION,
    INGEST,
    INVOCATION,
    MODULE,
    NAME,
    OP,
    ORIGIN,
    PART,
    RUN,
    TABLES,
    WORKFLOW,
)

from .operations import operations_of
from .partitions import read_partition
from .ranges import places
from .snapshot import Snapshot

MODULES: Final = "modules"
OP_PART: Final = "op"
PARTS: Final = {"ops": OP_PART, "inputs": "input", "state": "state", "outputs": "output"}
"""The fields of a declaration; each is mapped to the value of ``part`` in the field's rows."""
DECLARED = pa.schema([TABLES[MODULES].field(n) for n in (MODULE, WORKFLOW, PART, NAME, BORN)])
"""The columns of the visible declarations in a generation, with one row per op or table."""


@dataclass(frozen=True)
class Module:
    """A part of a workflow: the ops that it runs, and the tables that it reads and writes."""

    module: str
    workflow: str | None
    ops: Sequence[str]
    inputs: Sequence[str]
    state: Sequence[str]
    outputs: Sequence[str]
    born: int | None
    """The generation that declared the module; None if only descriptions of ops name it."""


def modules_of(snapshot: Snapshot) -> pa.Table:
    """Return the newest declaration of each module, as rows with the columns ``DECLARED``.

    A module that was withdrawn, or whose ops and tables were all erased, is left out. If no module
    was ever declared, nothing is read, because the warehouse has no table of modules.
    """
    if MODULES not in snapshot.commit.tables:
        return DECLARED.empty_table()
    rows = snapshot.rows(MODULES)
    newest = rows.group_by(MODULE).aggregate([(INGEST, "max")])
    rows = rows.join(newest, [MODULE, INGEST], [MODULE, f"{INGEST}_max"], join_type="inner")
    rows = rows.filter(rows[PART].is_valid())
    order = [(name, "ascending") for name in (MODULE, PART, NAME)]
    return rows.select(DECLARED.names).sort_by(order).combine_chunks()


def declarations(rows: pa.Table) -> list[Module]:
    """Return the modules that the given rows declare, in order of name.

    The rows have the columns ``DECLARED``.
    """
    found: dict[str, list[dict[str, str]]] = {}
    for row in rows.to_pylist():
        found.setdefault(row[MODULE], []).append(row)
    return [
        Module(
            module=module,
            workflow=said[0][WORKFLOW],
            **{
                field: [row[NAME] for row in said if row[PART] == part]
                for field, part in PARTS.items()
            },
            born=int(said[0][BORN]),
        )
        for module, said in found.items()
    ]


def known_modules(snapshot: Snapshot) -> list[Module]:
    """Return the declared modules, and the modules that occur only in descriptions of ops."""
    found = {each.module: each for each in declarations(modules_of(snapshot))}
    ops: dict[str, list[str]] = {}
    described = operations_of(snapshot).select([OP, MODULE])
    for op, module in zip(*(column.to_pylist() for column in described.columns), strict=True):
        if module is not None and module not in found:
            ops.setdefault(module, []).append(op)
    others = [Module(module, None, of, [], [], [], None) for module, of in ops.items()]
    return sorted([*found.values(), *others], key=lambda each: each.module)


def modules_of_ops(snapshot: Snapshot) -> dict[str, str]:
    """Return the module of each op that is part of a module."""
    declared = modules_of(snapshot)
    declared = declared.filter(pc.equal(declared[PART], OP_PART))
    described = operations_of(snapshot)
    described = described.filter(described[MODULE].is_valid())
    pairs = ((rows[op], rows[MODULE]) for rows, op in ((described, OP), (declared, NAME)))
    return {
        op: module
        for ops, modules in pairs
        for op, module in zip(ops.to_pylist(), modules.to_pylist(), strict=True)
    }


def runs_of(snapshot: Snapshot) -> dict[int, str | None]:
    """Return the run of each origin of triples."""
    rows = snapshot.rows("origins", [ORIGIN, RUN])
    return dict(zip(rows[ORIGIN].to_pylist(), rows[RUN].to_pylist(), strict=True))


def rows_of_modules(
    snapshot: Snapshot,
    partition: PartitionNumber,
    of: Mapping[str, str],
    runs: Mapping[int, str | None],
    columns: Sequence[str] = (),
) -> pa.Table:
    """Return the live triples of a partition that are part of a module.

    The module of a triple is the value of its column ``module``, or if this is null, the module of
    its op. ``of`` contains the module of each op, and ``runs`` contains the run of each origin. The
    result has the columns module, run, execution, invocation and ``columns``.
    """
    wanted = (OP, ORIGIN, MODULE, INVOCATION, EXECUTION, *columns)
    rows = read_partition(snapshot.partition_path(partition), wanted)
    rows = rows.filter(pa.array(~snapshot.deaths.has(places(partition, np.arange(rows.num_rows)))))
    ops = rows[OP].combine_chunks().cast(pa.string()).dictionary_encode()
    by_op = pa.array([of.get(op) for op in ops.dictionary.to_pylist()], pa.string())
    modules = pc.coalesce(rows[MODULE].combine_chunks(), by_op.take(ops.indices))
    rows = rows.set_column(rows.column_names.index(MODULE), MODULE, modules)
    rows = rows.filter(rows[MODULE].is_valid())
    origins = rows[ORIGIN].combine_chunks().dictionary_encode()
    by_origin = pa.array([runs.get(one) for one in origins.dictionary.to_pylist()], pa.string())
    return rows.append_column(RUN, by_origin.take(origins.indices)).drop_columns([OP, ORIGIN])


def partitions_of_modules(snapshot: Snapshot, *, every: bool) -> list[PartitionNumber]:
    """Return the partitions whose triples may have modules of their own.

    With ``every``, return all partitions. Only ingests with derivations write the column
    ``module``. In the partitions of other ingests, the module of a triple is always the module of
    its op.
    """
    derived = snapshot.ingests[DERIVED].to_pylist()
    ranges = zip(snapshot.partitions_by_ingest(), derived, strict=True)
    return [one for some, own in ranges for one in some if every or own]


def contradiction(declared: pa.Table, described: pa.Table) -> tuple[str, str, str] | None:
    """Return an op that is part of two modules, and both modules; None if there is no such op.

    ``declared`` has the columns module and name (the op), and ``described`` has the columns op and
    module.
    """
    known: dict[str, str] = {}
    described = described.filter(pc.is_valid(described[MODULE]))
    for rows, op in ((declared, NAME), (described, OP)):
        for name, module in zip(rows[op].to_pylist(), rows[MODULE].to_pylist(), strict=True):
            if known.setdefault(name, module) != module:
                return name, known[name], module
    return None
