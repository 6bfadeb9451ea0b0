"""A search finds the same sets in any number of threads, without memory for pairs of tables."""

import os
import tracemalloc

import numpy as np
import pytest

from provhouse.model.arrays import I32
from provhouse.sets import search
from provhouse.sets.components import dense, weak_components
from provhouse.sets.search import find_sets

TABLES = 20_000
LAYERS = 6


def run(seed: int, items: int) -> tuple[I32, I32, I32]:
    """Return a random run of a workflow, as edges and tables: each item derives from two others."""
    draw = np.random.default_rng(seed)
    layer = draw.choice(LAYERS, items, p=draw.dirichlet([3 if seed else 999] * LAYERS))
    layer[:LAYERS] = np.arange(LAYERS)
    layer.sort()
    later = np.flatnonzero(layer)
    first, last = np.searchsorted(layer, layer[later] - 1), np.searchsorted(layer, layer[later])
    near = [
        draw.integers(first, last),
        np.minimum(first + draw.integers(0, 3, len(later)), last - 1),
    ]
    src, dst = np.concatenate(near), np.concatenate([later, later])
    return src.astype(np.int32), dst.astype(np.int32), layer.astype(np.int32)


def test_the_sets_are_the_same_in_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest run of a workflow makes the plan; some of the other runs cannot follow it."""
    parts, at = [], 0
    for seed in (0, 2, 4, 6, 8):
        src, dst, table = run(seed, 4_000 - 100 * seed)
        parts.append((src + at, dst + at, table))
        at += len(table)
    src, dst, table = (np.concatenate(some).astype(np.int32) for some in zip(*parts, strict=True))
    label = dense(weak_components(at, [(src, dst)]))[0]
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    found = []
    for threads in (1, 2, 4):
        monkeypatch.setattr(search, "MOST_THREADS", threads)
        found.append(find_sets(label, src, dst, table, theta=2_000, limit=5))
    assert np.bincount(found[0]).max() < 2_000
    assert all(np.array_equal(each, found[0]) for each in found)


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
