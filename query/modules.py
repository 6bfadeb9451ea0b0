"""List the modules of a generation, and the invocations of one of them."""

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import PartitionNumber
from provhouse.model.columns import EXECUTION, INVOCATION, MODULE, RUN, TRIPLES
from provhouse.model.errors import NotFound
from provhouse.store.tables.modules import (
    Module,
    known_modules,
    modules_of_ops,
    rows_of_modules,
    runs_of,
)
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


def _counted(
    snapshot: Snapshot,
    partition: PartitionNumber,
    module: str,
    of: Mapping[str, str],
    runs: Mapping[int, str | None],
) -> pa.Table:
    """Count the live triples of a module in a partition, by invocation."""
    rows = rows_of_modules(snapshot, partition, of, runs)
    rows = rows.filter(pc.equal(rows[MODULE], module))
    counted = rows.group_by([*CALL]).aggregate([([], "count_all")])
    return counted.rename_columns([*CALL, TRIPLES]).cast(INVOCATIONS)
