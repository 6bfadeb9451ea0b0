"""A search for sets needs memory for the items and edges, but not for pairs of tables."""

import tracemalloc

import numpy as np

from provhouse.sets.search import find_sets

TABLES = 20_000


def test_a_piece_with_as_many_tables_as_items_needs_little_memory() -> None:
    """Every item has its own table if ``--map`` wrongly uses an ID column as the tables."""
    table = np.arange(TABLES, dtype=np.int32)
    src, dst = np.zeros(TABLES - 1, np.int32), table[1:]
    tracemalloc.start()
    try:
        sets = find_sets(np.zeros_like(table), src, dst, table, theta=1_000, limit=500)
        used = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert np.bincount(sets).max() < 1_000
    assert used < 1_000 * (TABLES + len(src))
