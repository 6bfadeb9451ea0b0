"""What an ingest touched, as nodes and relationships in Neo4j.

All totals are read from the tables as the new generation will show them and are written absolute,
so that writing twice changes nothing. Only sets and dependencies count for answers.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.cypher.graph import Graph
from provhouse.model.arrays import I64, among
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
"""Characters of a table's name in Neo4j."""
TEXTS_KEPT = 12
"""The most tables or operations that a node or relationship names."""


def load(
    graph: Graph, snapshot: Snapshot, ingest: int, progress: Progress, imported: bool = False
) -> None:
    """Write what ``ingest`` changed, and at last that Neo4j has all of this commit.

    What was ``imported`` is there already.
    """
    graph.prepare()
    if not imported:
        rows = bulk(snapshot, ingest)
        done, total = 0, sum(table.num_rows for table in rows.values())
        for name, table in rows.items():
            for batch in table.to_batches(CHUNK):
                done += graph.write(name, batch.to_pylist())
                progress.advance(done, total, "rows")
    graph.write("merges", _rows(snapshot.rows_of(ingest, "merges").select([COMPONENT, INTO])))
    _load_tables(graph, snapshot)
    graph.write_load(snapshot.commit.commit)


def load_without(graph: Graph, held: Snapshot, after: Snapshot) -> None:
    """Bring what people see from ``held`` back to ``after``, which shows fewer ingests.

    Sets and dependencies stay, for generations that showed them; all else is as if the hidden
    ingests had never been.
    """
    if held.commit.base == after.commit.base:
        for name, table in _taken_back(held, after).items():
            graph.write(name, _rows(table))
    graph.delete_tables()
    _load_tables(graph, after)
    graph.write_load(after.commit.commit)


def _taken_back(held: Snapshot, after: Snapshot) -> dict[str, pa.Table]:
    """What hidden ingests touched, by the statement that brings it back, in order."""

    def hidden(table: str) -> pa.Table:
        rows = held.rows(table)
        return rows.filter(pa.array(~after.shows(np.asarray(rows[INGEST]))))

    pairs, sets_hidden = hidden("set_dependencies"), hidden("sets")
    moved = held.set_components[np.searchsorted(held.set_ids, after.set_ids)]
    touched = [
        np.asarray(hidden("placements")[SET]),
        held.sets_among(Ranges.read(hidden("deaths"))),
        np.asarray(pairs[SET]),
        np.asarray(pairs[DERIVES_FROM]),
        after.set_ids[moved != after.set_components],
    ]
    sets = after.rows_of_sets(np.unique(np.concatenate(touched)))
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
    """What there may be much of, by the statement that writes it, in the order to be written."""
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
    """Tell people who look around which generation is current."""
    commit = snapshot.commit
    graph.write(
        "generation",
        iter(
            [
                {
                    "number": commit.generation,
                    "time": commit.time,
                    "triples": commit.totals.triples,
                    "items": commit.totals.items,
                }
            ]
        ),
    )


def _rows(table: pa.Table) -> Rows:
    """Rows as maps, a chunk of them at a time in memory."""
    for batch in table.to_batches(CHUNK):
        yield from batch.to_pylist()


def _touched(snapshot: Snapshot, ingest: int, new: pa.Table) -> I64:
    """Positions of the sets that get a node or new totals: new ones to be shown, and old ones."""
    shown = np.asarray(new.filter(new[NODE])[SET])
    first_new = pc.min(new[SET]).as_py() if new.num_rows else np.iinfo(np.int64).max
    pairs = snapshot.rows_of(ingest, "set_dependencies")
    placed = np.asarray(snapshot.rows_of(ingest, "placements")[SET])
    died = snapshot.sets_among(Ranges.read(snapshot.rows_of(ingest, "deaths")))
    ends = [placed, died, np.asarray(pairs[SET]), np.asarray(pairs[DERIVES_FROM])]
    old = np.unique(np.concatenate(ends))
    return snapshot.rows_of_sets(np.union1d(shown, old[old < first_new]))


def _totals(snapshot: Snapshot, sets: I64, new: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Sets with their totals, and the components that they are in with theirs."""
    components = np.unique(snapshot.set_components[sets])
    members = np.flatnonzero(among(snapshot.set_components, components))
    triples = snapshot.triples_of(members)
    owner = np.searchsorted(components, snapshot.set_components[members])
    sums = {
        "items": np.bincount(owner, snapshot.set_items[members]),
        "triples": np.bincount(owner, triples),
        "sets": np.bincount(owner),
    }
    set_rows = {
        "id": snapshot.set_ids[sets],
        "component": snapshot.set_components[sets],
        "items": snapshot.set_items[sets],
        "triples": triples[np.searchsorted(members, sets)],
        "tables": _tables_of(snapshot, sets, new),
    }
    whole = {"id": components, **{name: sum.astype(np.int64) for name, sum in sums.items()}}
    return pa.table(set_rows), pa.table(whole)


def _tables_of(snapshot: Snapshot, sets: I64, new: pa.Table) -> pa.Array:
    """The tables of sets, which never change, only where no node may have them."""
    ids, born = snapshot.set_ids[sets], np.asarray(new[SET])
    mine = among(ids, born)
    lists = _few(new[TABLES_OF]).take(pa.array(np.searchsorted(born, ids), mask=~mine))
    without = np.flatnonzero(~mine & ~snapshot.set_nodes[sets])
    if not len(without):
        return lists
    told = _few(pa.chunked_array([_looked_up(snapshot, sets[without])]))
    at = np.full(len(sets), -1)
    at[without] = np.arange(len(without))
    return pc.coalesce(lists, told.take(pa.array(at, mask=at < 0)))


def _looked_up(snapshot: Snapshot, sets: I64) -> pa.ListArray:
    """The tables of a few sets by those of their items: the table of sets is long to read."""
    count = snapshot.set_items[sets]
    ends = np.cumsum(count)
    items = np.repeat(snapshot.set_firsts[sets] - (ends - count), count) + np.arange(count.sum())
    owner = np.repeat(np.arange(len(sets)), count)
    rows = pa.table({SET: owner, TABLE: snapshot.names.tables(items)})
    rows = rows.group_by([SET, TABLE], use_threads=False).aggregate([])
    lists = rows.group_by(SET, use_threads=False).aggregate([(TABLE, "list")]).sort_by(SET)
    found: pa.ListArray = lists[f"{TABLE}_list"].combine_chunks()
    return found


def _few(lists: pa.ChunkedArray) -> pa.ListArray:
    """Lists of texts as ``few`` makes them, each different one once, since they repeat."""
    encoded = pc.binary_join(lists, SEPARATOR).combine_chunks().dictionary_encode()
    shown = [few(text.split(SEPARATOR)) for text in encoded.dictionary.to_pylist()]
    return pa.array(shown, pa.list_(pa.string())).take(encoded.indices)


def few(texts: Sequence[str]) -> list[str] | None:
    """The first texts in order, and a sign where there are more; None if there are none."""
    ordered = sorted(filter(None, texts))
    return [*ordered[:TEXTS_KEPT], "…"] if len(ordered) > TEXTS_KEPT else ordered or None


def _part_of_rows(snapshot: Snapshot, sets: I64) -> pa.Table:
    return pa.table({"set": snapshot.set_ids[sets], "component": snapshot.set_components[sets]})


def _dependencies_of(snapshot: Snapshot, pairs: pa.Table) -> pa.Table:
    """The dependencies between the same sets as some, with what all visible ingests brought."""
    held = snapshot.rows("set_dependencies", [SET, DERIVES_FROM])
    near = np.flatnonzero(among(np.asarray(held[SET]), np.unique(pairs[SET])))
    same = near[pairs_among(held.take(pa.array(near)), pairs)]
    brought = np.isin(np.asarray(held[INGEST])[same], np.unique(pairs[INGEST]))
    if len(same) == pairs.num_rows and brought.all():
        rows = pairs  # nobody else brought any of them
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
    """The name of a table's node: itself, but Neo4j's indexes take only some 8,000 bytes."""
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
