"""Compute Neo4j's rows about the modules of a generation: their triples, tables, sets and calls.

There are few modules, so all rows are computed again for each generation, in one pass over the
triples. Only people read these rows; answers do not depend on them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import ItemNumbers, distinct
from provhouse.model.columns import (
    DST,
    DST_TABLE,
    EXECUTION,
    INVOCATION,
    MODULE,
    RUN,
    SET,
    SRC,
    SRC_TABLE,
    TABLE,
    TRIPLES,
)
from provhouse.store.tables.modules import (
    Module,
    known_modules,
    modules_of_ops,
    partitions_of_modules,
    rows_of_modules,
    runs_of,
)
from provhouse.store.tables.snapshot import Snapshot

from .few import few, node_key

Rows = list[dict[str, Any]]
ModuleGraph = Mapping[str, Rows]
"""The rows to write, by the name of the Cypher statement that writes them.

The statements are in the order in which they must run. Without modules, there are no rows.
"""

MOST_COUNTED: Final = 1_000_000
"""The largest number of triples in a warehouse in which the modules' triples are counted.

In a larger warehouse, Neo4j shows only the tables that modules declare. Counting reads columns of
all triples at each commit, so appends would become slower as a warehouse grows.
"""
MOST_MODULES: Final = 300
"""The largest number of modules that get a node. Modules with more triples come first."""
MOST_INVOCATIONS: Final = 300
"""The largest number of invocations that get nodes. If there are more, none gets a node."""
MOST_TABLES: Final = 100
"""The largest number of tables that are linked to a module in each direction.

Tables with more triples come first.
"""
MOST_SETS: Final = 30
"""The largest number of sets that are linked to a module.

Sets with more triples of the module come first.
"""
MOST_MAKERS: Final = 30
"""The largest number of modules that a module is shown to derive from.

Modules that make tables with more triples come first.
"""

_CALL = (MODULE, RUN, EXECUTION, INVOCATION)
_GROUPS = {"calls": _CALL, "reads": (MODULE, SRC_TABLE), "makes": (MODULE, DST_TABLE),
           "sets": (MODULE, SET)}  # fmt: skip
"""For each count, the columns that group the triples of modules."""


def module_graph(snapshot: Snapshot) -> ModuleGraph:
    """Return the rows for Neo4j about all modules of a generation."""
    return snapshot.names.settled(lambda: _module_graph(snapshot))


def _module_graph(snapshot: Snapshot) -> ModuleGraph:
    known = {each.module: each for each in known_modules(snapshot)}
    if not (known or snapshot.derived):
        return {}
    if snapshot.commit.triples > MOST_COUNTED:
        return _graph(known, _declared(known), counted=False)
    return _graph(known, _counts(snapshot), counted=True)


def _counts(snapshot: Snapshot) -> dict[str, Rows]:
    """Return each module's numbers of triples by call, by table and by set, the largest first."""
    parts: dict[str, list[pa.Table]] = {name: [] for name in _GROUPS}
    of, runs = modules_of_ops(snapshot), runs_of(snapshot)
    for partition in partitions_of_modules(snapshot, every=bool(of)):
        rows = rows_of_modules(snapshot, partition, of, runs, (SRC, DST))
        if rows.num_rows:
            rows = _placed(snapshot, rows)
            for name, by in _GROUPS.items():
                found = rows.group_by([*by]).aggregate([([], "count_all")])
                parts[name].append(found.rename_columns([*by, TRIPLES]))
    return {name: _summed(parts[name], by) for name, by in _GROUPS.items()}


def _placed(snapshot: Snapshot, rows: pa.Table) -> pa.Table:
    """Return triples with the tables of src and dst, and the set of dst, as further columns."""
    ends = [np.asarray(rows[end], np.int64) for end in (SRC, DST)]
    numbers, places = distinct(np.concatenate(ends))
    tables = snapshot.names.tables(ItemNumbers(numbers))
    for name, at in zip((SRC_TABLE, DST_TABLE), np.split(places, 2), strict=True):
        rows = rows.append_column(name, tables.take(pa.array(at)))
    return rows.append_column(SET, pa.array(snapshot.sets_of(ItemNumbers(ends[1]))))


def _summed(parts: Sequence[pa.Table], by: Sequence[str]) -> Rows:
    if not parts:
        return []
    sums = pa.concat_tables(parts).group_by([*by]).aggregate([(TRIPLES, "sum")])
    sums = sums.rename_columns([*by, TRIPLES])
    order = [(TRIPLES, "descending"), *((name, "ascending") for name in by)]
    rows: Rows = sums.sort_by(order).to_pylist()
    return rows


def _declared(known: Mapping[str, Module]) -> dict[str, Rows]:
    """Return the tables that modules declare, as rows of counts in which the counts are None."""

    def rows(name: str, tables: Mapping[str, Sequence[str]]) -> Rows:
        return [
            {MODULE: module, name: table, TRIPLES: None}
            for module, some in tables.items()
            for table in some
        ]

    reads = {name: [*each.inputs, *each.state] for name, each in known.items()}
    makes = {name: each.outputs for name, each in known.items()}
    return {"calls": [], "reads": rows(SRC_TABLE, reads), "makes": rows(DST_TABLE, makes),
            "sets": []}  # fmt: skip


def _graph(
    known: Mapping[str, Module], counts: Mapping[str, Rows], *, counted: bool
) -> ModuleGraph:
    calls = counts["calls"]
    triples: dict[str, int] = dict.fromkeys(sorted(known), 0)
    number = dict(triples)
    for row in calls:
        module = row[MODULE]
        triples[module] = triples.get(module, 0) + row[TRIPLES]
        number[module] = number.get(module, 0) + 1
    shown = sorted(triples, key=lambda module: (-triples[module], module))[:MOST_MODULES]
    if not shown:
        return {}
    makes, reads = (
        _first(counts[name], shown, MOST_TABLES, end)
        for name, end in (("makes", DST_TABLE), ("reads", SRC_TABLE))
    )
    return {
        "modules": [
            {
                "name": node_key(module),
                "workflow": _workflow(known.get(module)),
                "ops": few(known[module].ops) if module in known else None,
                TRIPLES: triples[module] if counted else None,
                "invocations": number[module] if counted else None,
            }
            for module in shown
        ],
        "invocations": _invocations(calls, shown) if len(calls) <= MOST_INVOCATIONS else [],
        "made_by": makes,
        "reads": reads,
        "sets_made_by": _first(counts["sets"], shown, MOST_SETS, SET),
        "modules_derive": _flow(reads, makes, counted=counted),
    }


def _workflow(module: Module | None) -> str | None:
    return node_key(module.workflow) if module and module.workflow else None


def _first(rows: Rows, shown: Sequence[str], most: int, end: str) -> Rows:
    """Return the first ``most`` rows of each module with a node.

    ``end`` is the column that contains the table or the set.
    """
    left = dict.fromkeys(shown, most)
    found: Rows = []
    for row in rows:
        module = row[MODULE]
        if row[end] in (None, "") or not left.get(module):
            continue
        left[module] -= 1
        far = row[end] if end == SET else node_key(row[end])
        found.append(
            {MODULE: node_key(module), SET if end == SET else TABLE: far, TRIPLES: row[TRIPLES]}
        )
    return found


def _invocations(calls: Rows, shown: Sequence[str]) -> Rows:
    kept = [row for row in calls if row[MODULE] in {*shown}]
    return [
        {
            **row,
            "number": number,
            MODULE: node_key(row[MODULE]),
            "name": " ".join(row[name] for name in _CALL[1:] if row[name]) or row[MODULE],
        }
        for number, row in enumerate(kept, 1)
    ]


def _flow(reads: Rows, makes: Rows, *, counted: bool) -> Rows:
    """Return pairs of modules in which the first module reads tables that the second module makes.

    Each pair has its number of triples. A module is not paired with itself: tables that pass
    between its own ops do not lead from one module to another.
    """
    names = sorted({row[MODULE] for row in makes})
    number = {name: at for at, name in enumerate(names)}
    makers: dict[str, list[int]] = {}
    for row in makes:
        makers.setdefault(row[TABLE], []).append(number[row[MODULE]])
    made = {table: np.array(some) for table, some in makers.items()}
    read: dict[str, Rows] = {}
    for row in reads:
        if row[TABLE] in made:
            read.setdefault(row[MODULE], []).append(row)
    found = []
    for module, rows in read.items():
        of = np.concatenate([made[row[TABLE]] for row in rows])
        table = np.repeat(np.arange(len(rows)), [len(made[row[TABLE]]) for row in rows])
        triples = np.array([row[TRIPLES] or 0 for row in rows])[table]
        total = np.bincount(of, triples, minlength=len(names))
        others = np.unique(of[of != number.get(module, -1)])
        for maker in others[np.argsort(-total[others], kind="stable")][:MOST_MAKERS].tolist():
            found.append(
                {
                    MODULE: module,
                    "derives_from": names[maker],
                    TRIPLES: int(total[maker]) if counted else None,
                    "tables": few([rows[at][TABLE] for at in table[of == maker].tolist()]),
                }
            )
    return found
