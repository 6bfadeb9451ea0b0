"""List the modules of a generation, and the invocations of one of them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import PartitionNumber
from provhouse.model.columns import (
    EXECUTION,
    INVOCATION,
    MODULE,
    NAME,
    OP,
    ORIGIN,
    PART,
    RUN,
    TRIPLES,
)
from provhouse.model.errors import NotFound
from provhouse.store.tables.modules import OP_PART, Module, declarations, modules_of
from provhouse.store.tables.operations import operations_of
from provhouse.store.tables.partitions import read_partition
from provhouse.store.tables.ranges import places
from provhouse.store.tables.snapshot import Snapshot

CALL = (MODULE, RUN, EXECUTION, INVOCATION)
"""The columns that identify an invocation: a module may be invoked twice in one execution."""
INVOCATIONS = pa.schema([*((name, pa.string()) for name in CALL), (TRIPLES, pa.int64())])


@dataclass(frozen=True)
class Modules:
    """The modules of one generation, in order of name."""

    generation: int
    time: str
    modules: list[Module]


@dataclass(frozen=True)
class Invocations:
    """The invocations of one module, in order, with the number of triples of each.

    ``invocations`` has the columns module, run, execution, invocation (text or null) and triples.
    """

    generation: int
    time: str
    module: str
    invocations: pa.Table


def known_modules(snapshot: Snapshot) -> list[Module]:
    """Return the modules that are declared, and those that only descriptions of ops name."""
    found = {each.module: each for each in declarations(modules_of(snapshot))}
    ops: dict[str, list[str]] = {}
    described = operations_of(snapshot).select([OP, MODULE])
    for op, module in zip(*(column.to_pylist() for column in described.columns), strict=True):
        if module is not None and module not in found:
            ops.setdefault(module, []).append(op)
    others = [Module(module, None, of, [], [], [], None) for module, of in ops.items()]
    return sorted([*found.values(), *others], key=lambda each: each.module)


def modules_of_ops(snapshot: Snapshot) -> dict[str, str]:
    """Return the module of each op that is part of one."""
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


def list_modules(snapshot: Snapshot) -> Modules:
    """Return the modules of the generation, without reading a triple."""
    commit = snapshot.commit
    found = snapshot.names.settled(lambda: known_modules(snapshot))
    return Modules(commit.generation, commit.time, found)


def list_invocations(snapshot: Snapshot, module: str, run: str | None = None) -> Invocations:
    """Return the invocations of a module, or only those of a run.

    Reads the columns of modules of all partitions, one partition at a time. Raises NotFound if no
    triple and no declaration names the module.
    """

    def collect() -> pa.Table:
        parts = [INVOCATIONS.empty_table()]
        of, runs = modules_of_ops(snapshot), runs_of(snapshot)
        for partition in snapshot.partitions.tolist():
            parts.append(_counted(snapshot, PartitionNumber(partition), module, of, runs))
        calls = pa.concat_tables(parts).group_by([*CALL]).aggregate([(TRIPLES, "sum")])
        calls = calls.rename_columns([*CALL, TRIPLES])
        return calls.sort_by([(name, "ascending") for name in CALL])

    found = snapshot.names.settled(collect)
    if not found.num_rows:
        check_modules(snapshot, [module])
    if run is not None:
        found = found.filter(pc.equal(found[RUN], run))
    commit = snapshot.commit
    return Invocations(commit.generation, commit.time, module, found)


def check_modules(snapshot: Snapshot, named: list[str], others: tuple[str, ...] = ()) -> None:
    """Raise NotFound for a module that is neither declared nor described, nor one of ``others``."""
    known = {each.module for each in known_modules(snapshot)} | {*others}
    unknown = [name for name in named if name not in known]
    if unknown:
        raise NotFound(
            f"There is no module {unknown[0]!r} in generation {snapshot.commit.generation}",
            f"Its modules are {', '.join(map(repr, sorted(known)))}" if known else "It has none",
            "Run `provhouse modules` to list those that are declared or described",
        )


def runs_of(snapshot: Snapshot) -> dict[int, str | None]:
    """Return the run of each origin of triples."""
    rows = snapshot.rows("origins", [ORIGIN, RUN])
    return dict(zip(rows[ORIGIN].to_pylist(), rows[RUN].to_pylist(), strict=True))


def _counted(
    snapshot: Snapshot,
    partition: PartitionNumber,
    module: str,
    of: Mapping[str, str],
    runs: Mapping[int, str | None],
) -> pa.Table:
    """Count the live triples of a module in a partition, by invocation."""
    columns = (OP, ORIGIN, MODULE, INVOCATION, EXECUTION)
    rows = read_partition(snapshot.partition_path(partition), columns)
    dead = snapshot.deaths.has(places(partition, np.arange(rows.num_rows)))
    rows = rows.filter(pa.array(~dead))
    ops = rows[OP].combine_chunks().cast(pa.string()).dictionary_encode()
    by_op = pa.array([of.get(op) for op in ops.dictionary.to_pylist()], pa.string())
    modules = pc.coalesce(rows[MODULE].combine_chunks(), by_op.take(ops.indices))
    rows = rows.set_column(rows.column_names.index(MODULE), MODULE, modules)
    rows = rows.filter(pc.equal(rows[MODULE], module))
    origins = rows[ORIGIN].combine_chunks().dictionary_encode()
    by_origin = pa.array([runs.get(one) for one in origins.dictionary.to_pylist()], pa.string())
    rows = rows.append_column(RUN, by_origin.take(origins.indices))
    counted = rows.group_by([*CALL]).aggregate([([], "count_all")])
    return counted.rename_columns([*CALL, TRIPLES]).cast(INVOCATIONS)
