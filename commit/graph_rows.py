"""Write to Neo4j the nodes and relationships that an ingest changed.

Totals are read from the tables as the new generation shows them and written as absolute values, so
writing them twice changes nothing. Answers use only the sets and dependencies; everything else is
written for people who look into Neo4j.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from threading import Lock
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.cypher.graph import Graph
from provhouse.model.arrays import ItemNumbers, SetIds, SetPositions, among, expand_ranges
from provhouse.model.columns import (
    COMPONENT,
    DERIVES_FROM,
    DST_TABLE,
    INGEST,
    INTO,
    NODE,
    OPS,
    SET,
    SRC_TABLE,
    TABLE,
    TABLES_OF,
    TRIPLES,
)
from provhouse.model.progress import Progress
from provhouse.store.tables.ranges import Ranges
from provhouse.store.tables.snapshot import Snapshot

from .append import merged, pairs_among

Rows = Iterator[Mapping[str, object]]
CHUNK = 20_000
SEPARATOR = "\x1f"
KEY_LENGTH = 1000
"""The most characters of an item table's name that are written to Neo4j."""
TEXTS_KEPT = 12
"""The most item tables or ops that a node or relationship lists."""
TEXTS_SURE = 3
"""The number of item tables or ops that are listed whatever their length."""
LIST_BYTES = 120
"""The size of a block in which Neo4j stores lists; a longer list takes two blocks or more."""
LIST_HEAD, TEXT_HEAD = 5, 4
"""The bytes that Neo4j adds to a list, and to each string of it."""


def load(
    graph: Graph, snapshot: Snapshot, ingest: int, progress: Progress, imported: bool = False
) -> None:
    """Write what ``ingest`` changed, then record in Neo4j that the commit is loaded."""
    load_ingest(graph, snapshot, ingest, progress, imported)
    _load_tables(graph, snapshot)
    graph.write_load(snapshot.commit.commit)


def load_ingest(
    graph: Graph, snapshot: Snapshot, ingest: int, progress: Progress, imported: bool = False
) -> None:
    """Write the sets, dependencies and components that ``ingest`` changed.

    If ``imported``, Neo4j's importer has already written the rows that ``bulk`` returns.
    """
    graph.prepare()
    if not imported:
        rows = bulk(snapshot, ingest)
        done, total = 0, sum(table.num_rows for table in rows.values())
        one = Lock()

        def written(number: int) -> None:  # called by several threads
            nonlocal done
            with one:
                done += number
                progress.advance(done, total, "rows")

        for name, table in rows.items():
            graph.write(name, table, written)
    graph.write("merges", snapshot.rows_of(ingest, "merges").select([COMPONENT, INTO]))


def load_rollback(graph: Graph, before: Snapshot, after: Snapshot) -> None:
    """Change what people see in Neo4j from ``before`` to ``after``, which shows fewer ingests.

    Sets and dependencies stay, since other generations show them. Everything else becomes what it
    was before the hidden ingests.
    """
    if before.commit.base == after.commit.base:
        for name, table in _rollback_rows(before, after).items():
            graph.write(name, table)
    graph.delete_tables()
    _load_tables(graph, after)
    graph.write_load(after.commit.commit)


def _rollback_rows(before: Snapshot, after: Snapshot) -> dict[str, pa.Table]:
    """Return the rows that a rollback writes, by name of the Cypher statement, in writing order."""

    def hidden(table: str) -> pa.Table:
        rows = before.rows(table)
        return rows.filter(pa.array(~after.shows(np.asarray(rows[INGEST]))))

    pairs, sets_hidden = hidden("set_dependencies"), hidden("sets")
    moved = before.set_components[np.searchsorted(before.set_ids, after.set_ids)]
    touched = [
        np.asarray(hidden("placements")[SET]),
        before.sets_among(Ranges.read(hidden("deaths"))),
        np.asarray(pairs[SET]),
        np.asarray(pairs[DERIVES_FROM]),
        after.set_ids[moved != after.set_components],
    ]
    sets = after.rows_of_sets(SetIds(np.unique(np.concatenate(touched))))
    set_rows, components = _totals(after, sets, sets_hidden.slice(0, 0))
    return {
        "sets_hidden": sets_hidden.select([SET]),
        "merges_hidden": hidden("merges").select([COMPONENT, INTO]),
        "sets": set_rows,
        "dependencies": _dependencies_of(after, pairs),
        "components": components,
        "part_of": _part_of_rows(after, sets),
    }


def _load_tables(graph: Graph, snapshot: Snapshot) -> None:
    graph.write("tables", _table_rows(snapshot))
    graph.write("derives_from", _workflow_rows(snapshot))


def bulk(snapshot: Snapshot, ingest: int) -> dict[str, pa.Table]:
    """Return the rows to write for changed sets, dependencies and components.

    The keys are the names of the Cypher statements, in writing order.
    """
    new = snapshot.rows_of(ingest, "sets")
    sets = _touched(snapshot, ingest, new)
    set_rows, components = _totals(snapshot, sets, new)
    return {
        "sets": set_rows,
        "dependencies": _dependencies_of(snapshot, snapshot.rows_of(ingest, "set_dependencies")),
        "components": components,
        "part_of": _part_of_rows(snapshot, sets),
    }


def announce(graph: Graph, snapshot: Snapshot) -> None:
    """Write a node for the current generation. Only people read this node."""
    commit = snapshot.commit
    graph.write(
        "generation",
        iter(
            [
                {
                    "number": commit.generation,
                    "time": commit.time,
                    "triples": commit.triples,
                    "items": commit.totals.items,
                }
            ]
        ),
    )


def _rows(table: pa.Table) -> Rows:
    """Yield rows as dictionaries, with one chunk in memory at a time."""
    for batch in table.to_batches(CHUNK):
        yield from batch.to_pylist()


def _touched(snapshot: Snapshot, ingest: int, new: pa.Table) -> SetPositions:
    """Return the sets to write: new sets that get a node, and old sets whose totals changed."""
    shown = np.asarray(new.filter(new[NODE])[SET])
    first_new = pc.min(new[SET]).as_py() if new.num_rows else np.iinfo(np.int64).max
    pairs = snapshot.rows_of(ingest, "set_dependencies")
    placed = np.asarray(snapshot.rows_of(ingest, "placements")[SET])
    died = snapshot.sets_among(Ranges.read(snapshot.rows_of(ingest, "deaths")))
    ends = [placed, died, np.asarray(pairs[SET]), np.asarray(pairs[DERIVES_FROM])]
    old = np.unique(np.concatenate(ends))
    return snapshot.rows_of_sets(SetIds(np.union1d(shown, old[old < first_new])))


def _totals(snapshot: Snapshot, sets: SetPositions, new: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Return the rows of some sets and of their components, both with totals."""
    components = np.unique(snapshot.set_components[sets])
    members = SetPositions(np.flatnonzero(among(snapshot.set_components, components)))
    triples = snapshot.triples_of(members)
    owner = np.searchsorted(components, snapshot.set_components[members])
    sums = {
        "items": np.bincount(owner, snapshot.set_sizes[members]),
        "triples": np.bincount(owner, triples),
        "sets": np.bincount(owner),
    }
    set_rows = {
        "id": snapshot.set_ids[sets],
        "component": snapshot.set_components[sets],
        "items": snapshot.set_sizes[sets],
        "triples": triples[np.searchsorted(members, sets)],
        "tables": _tables_of(snapshot, sets, new),
    }
    component_rows = {
        "id": components,
        **{name: sum.astype(np.int64) for name, sum in sums.items()},
    }
    return pa.table(set_rows), pa.table(component_rows)


def _tables_of(snapshot: Snapshot, sets: SetPositions, new: pa.Table) -> pa.Array:
    """Return the item tables of each set, or null if Neo4j already has them.

    A set's tables never change, so only sets that may lack a node need them.
    """
    ids, born = snapshot.set_ids[sets], np.asarray(new[SET])
    mine = among(ids, born)
    lists = _few(new[TABLES_OF]).take(pa.array(np.searchsorted(born, ids), mask=~mine))
    without = np.flatnonzero(~mine & ~snapshot.set_nodes[sets])
    if not len(without):
        return lists
    looked_up = _few(pa.chunked_array([_tables_by_names(snapshot, SetPositions(sets[without]))]))
    at = np.full(len(sets), -1)
    at[without] = np.arange(len(without))
    return pc.coalesce(lists, looked_up.take(pa.array(at, mask=at < 0)))


def _tables_by_names(snapshot: Snapshot, sets: SetPositions) -> pa.ListArray:
    """Look up which tables the items of a few sets belong to.

    For a few sets, this is faster than reading the stored table ``sets``.
    """
    count = snapshot.set_items[sets]
    items = ItemNumbers(expand_ranges(snapshot.set_firsts[sets], count))
    owner = np.repeat(np.arange(len(sets)), count)
    rows = pa.table({SET: owner, TABLE: snapshot.names.tables(items)})
    rows = rows.group_by([SET, TABLE], use_threads=False).aggregate([])
    lists = rows.group_by(SET, use_threads=False).aggregate([(TABLE, "list")]).sort_by(SET)
    found: pa.ListArray = lists[f"{TABLE}_list"].combine_chunks()
    return found


def _few(lists: pa.ChunkedArray) -> pa.ListArray:
    """Apply ``few`` to lists of strings, once for each distinct list, since many are equal."""
    encoded = pc.binary_join(lists, SEPARATOR).combine_chunks().dictionary_encode()
    shown = [few(text.split(SEPARATOR)) for text in encoded.dictionary.to_pylist()]
    return pa.array(shown, pa.list_(pa.string())).take(encoded.indices)


def few(texts: Sequence[str]) -> list[str] | None:
    """Return the first strings in order, with an ellipsis if there are more.

    These are at most ``TEXTS_KEPT`` strings, and only as many as fit into one block of Neo4j, but
    at least ``TEXTS_SURE``. Empty strings are left out. Without any other string, return None.
    """
    ordered = sorted(filter(None, texts))
    ends = LIST_HEAD + np.cumsum([TEXT_HEAD + len(text.encode()) for text in ordered])
    if len(ordered) <= TEXTS_SURE or (len(ordered) <= TEXTS_KEPT and ends[-1] <= LIST_BYTES):
        return ordered or None
    fitting = int(np.searchsorted(ends, LIST_BYTES - TEXT_HEAD - len("…".encode()), "right"))
    return [*ordered[: max(TEXTS_SURE, min(fitting, TEXTS_KEPT))], "…"]


def _part_of_rows(snapshot: Snapshot, sets: SetPositions) -> pa.Table:
    return pa.table({"set": snapshot.set_ids[sets], "component": snapshot.set_components[sets]})


def _dependencies_of(snapshot: Snapshot, pairs: pa.Table) -> pa.Table:
    """Return the dependencies of the given pairs of sets, totalled over all visible ingests."""
    stored = snapshot.rows("set_dependencies", [SET, DERIVES_FROM])
    near = np.flatnonzero(among(np.asarray(stored[SET]), np.unique(pairs[SET])))
    same = near[pairs_among(stored.take(pa.array(near)), pairs)]
    brought = np.isin(np.asarray(stored[INGEST])[same], np.unique(pairs[INGEST]))
    if len(same) == pairs.num_rows and brought.all():
        rows = pairs  # no other ingest has any of these dependencies
    else:
        rows = snapshot.rows("set_dependencies").take(pa.array(same)).drop_columns([INGEST])
        rows = merged([rows], SET, DERIVES_FROM)
    return rows.select([SET, DERIVES_FROM, TRIPLES]).append_column("ops", _few(rows[OPS]))


def _table_rows(snapshot: Snapshot) -> Rows:
    rows = snapshot.rows("tables")
    sums = rows.group_by(TABLE).aggregate([("items", "sum")])
    for row in _rows(sums):
        if row[TABLE]:
            yield {"name": _key(row[TABLE]), "items": row["items_sum"]}


def _key(table: object) -> str:
    """Return the name of a table's node. Long names are cut: Neo4j's indexes allow ~8,000 bytes."""
    name = str(table)
    if len(name) <= KEY_LENGTH:
        return name
    return f"{name[:KEY_LENGTH]}… {hashlib.sha256(name.encode()).hexdigest()[:16]}"


def _workflow_rows(snapshot: Snapshot) -> Rows:
    rows = snapshot.rows("workflow").drop_columns([INGEST])
    for row in _rows(merged([rows], SRC_TABLE, DST_TABLE)):
        if row[SRC_TABLE] and row[DST_TABLE]:
            yield {
                "table": _key(row[DST_TABLE]),
                "derives_from": _key(row[SRC_TABLE]),
                "triples": row[TRIPLES],
                "ops": few(cast(list[str], row[OPS])),
            }
