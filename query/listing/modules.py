"""List the modules of a generation, and the invocations of a module."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NoReturn

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import PartitionNumber
from provhouse.model.columns import EXECUTION, INVOCATION, MODULE, RUN, TRIPLES
from provhouse.model.errors import NotFound
from provhouse.store.tables.modules import (
    Module,
    known_modules,
    modules_of_ops,
    partitions_of_modules,
    rows_of_modules,
    runs_of,
)
from provhouse.store.tables.snapshot import Snapshot

CALL = (MODULE, RUN, EXECUTION, INVOCATION)
"""The columns that together identify an invocation: one execution may invoke a module twice."""
INVOCATIONS = pa.schema([*((name, pa.string()) for name in CALL), (TRIPLES, pa.int64())])


@dataclass(frozen=True)
class Modules:
    """The modules of one generation, in order of name."""

    generation: int
    time: str
    modules: list[Module]


@dataclass(frozen=True)
class Invocations:
    """The invocations of one module, in order, with the number of triples in each.

    ``invocations`` has the columns module, run, execution, invocation (a string or null) and
    triples.
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
    """Return the invocations of a module, or only the invocations of a run.

    Reads the module columns of all partitions, one partition at a time. Raises NotFound if no
    triple and no declaration names the module.
    """

    def collect() -> pa.Table:
        parts = [INVOCATIONS.empty_table()]
        of, runs = modules_of_ops(snapshot), runs_of(snapshot)
        for partition in partitions_of_modules(snapshot, every=bool(of)):
            parts.append(_counted(snapshot, partition, module, of, runs))
        calls = pa.concat_tables(parts).group_by([*CALL]).aggregate([(TRIPLES, "sum")])
        calls = calls.rename_columns([*CALL, TRIPLES])
        return calls.sort_by([(name, "ascending") for name in CALL])

    found = snapshot.names.settled(collect)
    if not found.num_rows:
        check_modules([module], [], snapshot)
    if run is not None:
        found = found.filter(pc.equal(found[RUN], run))
    commit = snapshot.commit
    return Invocations(commit.generation, commit.time, module, found)


def check_modules(named: Sequence[str], present: Sequence[str], *snapshots: Snapshot) -> None:
    """Raise NotFound for a named module that none of the given generations has.

    ``present`` are the modules of triples that were read already. If one of the other modules is
    neither declared nor described, the columns of all triples are searched for it.
    """
    unknown = {*named} - {*present}
    for snapshot in snapshots:
        unknown -= {each.module for each in known_modules(snapshot)}
    for snapshot in snapshots:
        unknown -= _in_triples(snapshot, unknown)
    if unknown:
        _refuse(sorted(unknown)[0], {*present}, snapshots)


def _in_triples(snapshot: Snapshot, wanted: Set[str]) -> set[str]:
    """Return the wanted modules that live triples name in their own column ``module``."""
    found = set[str]()
    if wanted:
        for partition in partitions_of_modules(snapshot, every=False):
            rows = rows_of_modules(snapshot, partition, {}, {})
            found |= wanted & {*pc.unique(rows[MODULE]).to_pylist()}
            if found == wanted:
                break
    return found


def _refuse(module: str, present: Set[str], snapshots: Sequence[Snapshot]) -> NoReturn:
    known = present | {each.module for one in snapshots for each in known_modules(one)}
    generations = " or ".join(str(one.commit.generation) for one in snapshots)
    raise NotFound(
        f"There is no module {module!r} in generation {generations}",
        f"Its modules are {', '.join(map(repr, sorted(known)))}" if known else "It has none",
        "Run `provhouse list modules` to list declared and described modules. The column module of "
        "a trace counts only with op_kind or derivation, or with --map module=module",
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
