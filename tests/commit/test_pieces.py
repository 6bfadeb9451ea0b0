"""Sets and dependencies are written and read in pieces, so memory does not grow with them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from provhouse.commit import graph_rows
from provhouse.commit.append import Target, append, merged, merged_ranges
from provhouse.commit.dependencies_again import dependencies_again
from provhouse.commit.graph_rows import bulk
from provhouse.commit.next_commit import ingest_row
from provhouse.model.arrays import I64
from provhouse.model.columns import (
    COMPONENT,
    DERIVES_FROM,
    DIED,
    FIRST,
    ITEMS,
    NODE,
    OPS,
    PARTITION,
    ROW,
    ROWS,
    SET,
    TABLES_OF,
    TRIPLES,
)
from provhouse.store.tables import delta_tables as delta
from provhouse.store.tables.delta_tables import in_pieces
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import Commit, Totals
from provhouse.store.warehouse.ids import Ids
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import locked

PIECE = 1_000
NAMES = [f"a table with a name of some length {n}" for n in range(40)]


def ranges(seed: int) -> list[pa.Table]:
    """Return dependencies in ranges, as ``place`` stages them. Some ranges end inside a set."""
    draw = np.random.default_rng(seed)
    parts, first = [], 0
    for _ in range(6):
        sets = np.sort(draw.integers(first, first + draw.integers(1, 8), draw.integers(0, 30)))
        drawn = zip(sets.tolist(), draw.integers(0, 9, len(sets)).tolist(), strict=True)
        # the ranges ascend, but the rows in each do not
        pairs = sorted(set(drawn), key=lambda pair: draw.random())
        rows = {
            SET: pa.array([a for a, _ in pairs], pa.int64()),
            DERIVES_FROM: pa.array([b for _, b in pairs], pa.int64()),
            TRIPLES: pa.array(draw.integers(1, 5, len(pairs)), pa.int64()),
            OPS: pa.array([[NAMES[draw.integers(3)]] for _ in pairs], pa.list_(pa.string())),
        }
        parts.append(pa.table(rows))
        first = int(sets[-1]) if len(sets) else first
    return parts


def rows_of(tables: list[pa.Table]) -> list[tuple[int, int, int, list[str]]]:
    """Return the dependencies, sorted; the ops within each dependency are sorted, too."""
    rows = [row for table in tables for row in table.to_pylist()]
    return sorted((r[SET], r[DERIVES_FROM], r[TRIPLES], sorted(r[OPS])) for r in rows)


@pytest.mark.parametrize("seed", range(40))
def test_ranges_are_merged_as_all_rows_at_once(seed: int) -> None:
    parts = ranges(seed)
    assert rows_of([*merged_ranges(parts)]) == rows_of([merged(parts, SET, DERIVES_FROM)])


def test_pieces_have_one_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delta, "PIECE_ROWS", 10)
    numbers = pa.table({"n": range(47)})
    cuts = [0, 0, 3, 4, 24, 24, 44, 47]
    tables = [numbers.slice(a, b - a) for a, b in pairwise(cuts)]
    pieces = list(in_pieces(tables))
    assert [piece.num_rows for piece in pieces] == [10, 10, 10, 10, 7]
    assert pa.concat_tables(pieces) == numbers
    assert not list(in_pieces([numbers.slice(0, 0)]))


@pytest.mark.long
@pytest.mark.parametrize("kind", ["write", "load"])
def test_memory_does_not_grow_with_the_sets(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The peak of Arrow's allocations is about the same for 4 pieces as for 40."""
    monkeypatch.setattr(delta, "PIECE_ROWS", PIECE)
    monkeypatch.setattr(graph_rows, "PIECE_ROWS", PIECE)
    most = []
    for pieces in (4, 40):
        layout = Layout(tmp_path / str(pieces))
        allocated: list[int] = []
        commit = stored(layout, pieces, allocated)
        if kind == "load":
            allocated = []
            for tables in bulk(Snapshot(layout, commit), 1).values():
                before, rows = pa.total_allocated_bytes(), 0
                for table in tables:
                    rows += table.num_rows
                    allocated.append(pa.total_allocated_bytes() - before)
                assert rows == tables.rows
        most.append(max(allocated))
    assert most[0] > 0
    assert most[1] < 1.5 * most[0]


def stored(layout: Layout, pieces: int, allocated: list[int]) -> Commit:
    """Store ``pieces`` pieces of sets, in which each set derives from the set before it.

    After each piece, append the number of bytes allocated by Arrow to ``allocated``.
    """
    layout.base(1).mkdir(parents=True)
    before = pa.total_allocated_bytes()

    def each(of_piece: Callable[[I64], pa.Table]) -> Iterator[pa.Table]:
        for number in range(pieces):
            yield of_piece(np.arange(number * PIECE, (number + 1) * PIECE))
            allocated.append(pa.total_allocated_bytes() - before)

    commit = Commit(1, 1, "", "", ((1, 1),), {}, Totals())
    tables = {
        "sets": each(sets),
        "placements": each(placements),
        "set_dependencies": each(dependencies),
        "ingests": [ingest_row(commit, Ids(ingest=1), items=pieces * PIECE, partitions=1)],
    }
    with locked(layout):
        target = Target(layout, 1, 1, 0)
        versions = {name: append(target, name, rows) for name, rows in tables.items()}
    return replace(commit, tables=versions)


def sets(ids: I64) -> pa.Table:
    texts = [NAMES[n % 30 : n % 30 + 10] for n in ids.tolist()]
    return pa.table({
        SET: ids, COMPONENT: ids * 0, FIRST: ids, ITEMS: ids * 0 + 1,
        NODE: np.ones(len(ids), bool), TABLES_OF: pa.array(texts, pa.list_(pa.string())),
    })  # fmt: skip


def placements(ids: I64) -> pa.Table:
    return pa.table({SET: ids, PARTITION: ids * 0, TRIPLES: ids * 0 + 1})


def dependencies(ids: I64) -> pa.Table:
    ids = ids[ids > 0]
    ops = pa.array([[NAMES[n % 40]] for n in ids.tolist()], pa.list_(pa.string()))
    return pa.table({SET: ids, DERIVES_FROM: ids - 1, TRIPLES: ids * 0 + 1, OPS: ops})


def test_a_dependency_of_two_ingests_has_the_triples_of_both(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    commit = stored(layout, 1, [])
    rows = dependencies(np.array([7, 8]))
    rows = rows.set_column(1, DERIVES_FROM, pa.array([6, 0]))  # 8 did not derive from 0 before
    ids = Ids(ingest=2, set=PIECE, item=PIECE)
    after = replace(commit, visible=((1, 2),))
    with locked(layout):
        target = Target(layout, 1, 2, 0)
        more = {"set_dependencies": rows, "ingests": ingest_row(after, ids)}
        versions = {name: append(target, name, [table]) for name, table in more.items()}
    snapshot = Snapshot(layout, replace(after, tables={**commit.tables, **versions}))
    (new,) = bulk(snapshot, 2)["dependencies"]
    assert sorted(new.to_pylist(), key=lambda row: row[SET]) == [
        {SET: 7, DERIVES_FROM: 6, TRIPLES: 2, OPS: ["a table with a name of..."]},
        {SET: 8, DERIVES_FROM: 0, TRIPLES: 1, OPS: ["a table with a name of..."]},
    ]
    (first,) = bulk(snapshot, 1)["dependencies"]
    found = {(row[SET], row[DERIVES_FROM]): row[TRIPLES] for row in first.to_pylist()}
    assert found == {(n, n - 1): 2 if n == 7 else 1 for n in range(1, PIECE)}
    ends = [SET, DERIVES_FROM]
    again = dependencies_again(snapshot, snapshot.pieces("set_dependencies", ends, 2), 2, ends)
    assert pa.concat_tables(again).select(ends).to_pylist() == [{SET: 7, DERIVES_FROM: 6}]


def test_dead_triples_are_found_in_partitions_that_pieces_divide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = Layout(tmp_path)
    commit = stored(layout, 1, [])  # one partition, in which row n is the triple of set n
    dead = [3, 4, 5, 6, 7, 8, 40, 999]
    rows = pa.table({PARTITION: [0, 0, 0], ROW: [3, 40, 999], ROWS: [6, 1, 1], DIED: [1, 1, 1]})
    rows = rows.set_column(3, DIED, rows[DIED].cast(pa.int32()))
    with locked(layout):
        version = append(Target(layout, 1, 1, 0), "deaths", [rows])
    monkeypatch.setattr(delta, "PIECE_ROWS", 7)
    snapshot = Snapshot(layout, replace(commit, tables={**commit.tables, "deaths": version}))
    living = [n not in dead for n in range(PIECE)]
    assert snapshot.set_triples.tolist() == living
    assert snapshot.live_placements.triples.tolist() == living
    assert np.concatenate([*snapshot.sets_among(snapshot.deaths)]).tolist() == dead
