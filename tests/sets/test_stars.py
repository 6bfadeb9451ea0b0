"""The cut of pieces in which every derived item derives only from sources."""

import numpy as np

from provhouse.model.arrays import I32
from provhouse.sets.search import find_sets
from provhouse.sets.stars import ALONE, star_sets

LIMIT = 400


def report(rows: int, sources: int, seed: int = 0) -> tuple[I32, I32, I32]:
    """Return src, dst and tables. Each source is in one of the rows, every tenth source in two."""
    random = np.random.default_rng(seed)
    items = np.arange(rows, rows + sources)
    again = items[::10]
    src = np.concatenate([items, again])
    dst = np.concatenate([items % rows, (again + 1) % rows])
    order = random.permutation(len(src))
    table = np.append(np.zeros(rows, int), 1 + items % 2)
    as_numbers = (each.astype(np.int32) for each in (src[order], dst[order], table))
    src, dst, table = as_numbers
    return src, dst, table


def derived_of(src: I32, dst: I32) -> dict[int, frozenset[int]]:
    """Return, for each source, the items derived from it."""
    found: dict[int, set[int]] = {}
    for source, item in zip(src.tolist(), dst.tolist(), strict=True):
        found.setdefault(source, set()).add(item)
    return {source: frozenset(items) for source, items in found.items()}


def test_a_set_has_one_derived_item_or_sources_of_one_table_that_lead_to_the_same_items() -> None:
    src, dst, table = report(7, 10_000)
    sets = star_sets(np.zeros(10_007, np.int32), src, dst, table, np.ones(1, bool), LIMIT, 5)
    assert np.array_equal(sets[:7], np.arange(7))
    derived = derived_of(src, dst)
    contents = {(number, derived[item], int(table[item]))
                for item, number in enumerate(sets.tolist()) if item >= 7}  # fmt: skip
    assert len(contents) == len({number for number, _, _ in contents})
    assert np.bincount(sets).max() <= LIMIT
    assert len(np.unique(sets)) < 7 + 10_000 / LIMIT + 7 * 2 * 7


def test_sets_have_sources_that_the_edges_name_together() -> None:
    src = np.arange(2, 10_002, dtype=np.int32)
    dst = np.repeat(np.arange(2, dtype=np.int32), 5_000)
    table = np.zeros(10_002, np.int32)
    sets = star_sets(np.repeat(np.int32(0), 10_002), src, dst, table, np.ones(1, bool), LIMIT, 5)
    assert (np.diff(sets[2:]) >= 0).all()


def test_other_pieces_are_left() -> None:
    src, dst, table = report(7, 10_000)
    sources = np.arange(10_007, 20_000, dtype=np.int32)
    rows = np.arange(20_000, 20_006, dtype=np.int32)  # a total derives from these rows
    src = np.concatenate([src, sources, rows])
    dst = np.concatenate([dst, sources % np.int32(6) + rows[0], np.full(6, 20_006, np.int32)])
    many = np.arange(20_007, 30_007, dtype=np.int32)
    src, dst = np.append(src, many), np.append(dst, many % np.int32(1_000) + np.int32(30_007))
    label = np.repeat(np.arange(3, dtype=np.int32), (10_007, 10_000, 11_000))
    table = np.append(table, np.zeros(21_000, np.int32))
    sets = star_sets(label, src, dst, table, np.ones(3, bool), LIMIT, 5)
    assert (sets[label == 0] != ALONE).all()
    assert (sets[label > 0] == ALONE).all()
    none = star_sets(label, src, dst, table, np.zeros(3, bool), LIMIT, 5)
    assert (none == ALONE).all()


def test_a_piece_with_too_many_sets_is_left() -> None:
    src, dst, table = report(400, 10_000)
    label, all_pieces = np.zeros(10_400, np.int32), np.ones(1, bool)
    assert (star_sets(label, src, dst, table, all_pieces, LIMIT, 5) != ALONE).all()
    assert (star_sets(label, src, dst, table, all_pieces, LIMIT, 9) == ALONE).all()


def test_the_search_takes_them() -> None:
    src, dst, table = report(7, 50_000)
    sets = find_sets(np.zeros(50_007, np.int32), src, dst, table, theta=25_000, limit=20)
    sizes = np.bincount(sets)
    assert sizes.max() == LIMIT
    assert np.array_equal(sets[:7], np.arange(7))
