"""Ranges contain the same rows as Python's sets.

If an origin asserts a row repeatedly, the last assertion counts.
"""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from provhouse.model.arrays import PartitionNumbers, RowPlaces
from provhouse.model.columns import TABLES
from provhouse.store.tables.assertions import Assertions
from provhouse.store.tables.ranges import Ranges, places

ROWS = st.sets(st.tuples(st.integers(1, 4), st.integers(0, 12)), max_size=40)
ASSERTIONS = st.lists(st.tuples(ROWS, st.integers(1, 3), st.booleans()), max_size=6)
EVERY = [(partition, row) for partition in range(6) for row in range(14)]


def numbers(rows: set[tuple[int, int]]) -> RowPlaces:
    pairs = np.array(sorted(rows), np.int64).reshape(-1, 2)
    return places(PartitionNumbers(pairs[:, 0]), pairs[:, 1])


@given(ROWS)
def test_ranges_behave_like_sets(rows: set[tuple[int, int]]) -> None:
    made = Ranges.of(numbers(rows))
    every = numbers(set(EVERY))
    for ranges in (made, Ranges.read(made.tables())):
        assert len(ranges) == len(rows)
        assert ranges.has(every).tolist() == [row in rows for row in EVERY]
        assert ranges.below(every).tolist() == [sum(one < row for one in rows) for row in EVERY]
        assert ranges.overlapping == 0
        assert ranges.partitions.tolist() == sorted({partition for partition, _ in rows})
        for partition in range(6):
            chosen = PartitionNumbers(np.array([partition]))
            assert ranges.touches(chosen) == any(p == partition for p, _ in rows)


@given(ROWS)
def test_disjoint_ranges_are_joined(rows: set[tuple[int, int]]) -> None:
    """Disjoint ranges can be joined in any order."""
    parts = [Ranges.of(numbers({row for row in rows if row[1] % 3 == one})) for one in range(3)]
    joined = Ranges.joined(reversed(parts))
    assert joined.has(numbers(set(EVERY))).tolist() == [row in rows for row in EVERY]
    assert len(joined) == len(rows)


def test_overlaps_are_counted() -> None:
    starts, ends = RowPlaces(np.array([5, 1, 9])), RowPlaces(np.array([7, 6, 9 + 2]))
    assert Ranges(starts, ends).overlapping == 1


@given(st.dictionaries(st.sampled_from(EVERY), st.integers(0, 3), min_size=1), ASSERTIONS)
def test_the_last_assertion_of_an_origin_counts(
    first: dict[tuple[int, int], int], asserted: list[tuple[set[tuple[int, int]], int, bool]]
) -> None:
    tables = [TABLES["assertions"].empty_table()]
    standing = {row: {origin} for row, origin in first.items()}
    for ingest, (rows, origin, holds) in enumerate(asserted):
        mine = rows & first.keys()
        for row in mine:
            (standing[row].add if holds else standing[row].discard)(origin)
        pieces = Ranges.of(numbers(mine)).tables()
        ranges = [row for piece in pieces for row in piece.to_pylist()]
        more = {"origin": origin, "holds": holds, "ingest": ingest}
        tables.append(pa.Table.from_pylist([{**row, **more} for row in ranges], tables[0].schema))
    said = Assertions(tables)
    order = sorted(first)
    where, who = numbers(set(order)), np.array([first[row] for row in order])
    for origin in range(4):
        holds_each = [origin in standing[row] for row in order]
        assert said.holds(origin, where, who).tolist() == holds_each
        spoken = {
            row[0] for rows, one, _ in asserted if one == origin for row in rows & first.keys()
        }
        assert said.partitions(origin).tolist() == sorted(spoken)
        others = [bool(standing[row] - {origin}) for row in order]
        assert said.others_hold([origin], where, who).tolist() == others
    at, origins = said.standing(where, who)
    pairs = sorted(zip(at.tolist(), origins.tolist(), strict=True))
    assert pairs == sorted((n, o) for n, row in enumerate(order) for o in standing[row])
