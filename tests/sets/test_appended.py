"""The cut of new items that join a large stored component: questions read few old sets."""

from collections import defaultdict

import numpy as np

from provhouse.model.arrays import I32
from provhouse.sets.appended import cut_appended
from provhouse.sets.cut import cut

SALES, REPORTS, STORES = 3_000, 5, 60


def night() -> tuple[I32, I32, I32, I32]:
    """Return a night as one piece: a report and the stores' balances derive from its sales."""
    draw = np.random.default_rng(3)
    sales = np.arange(SALES)
    reports = SALES + draw.integers(0, REPORTS, SALES)
    balances = SALES + REPORTS + draw.integers(0, STORES, SALES)
    src, dst = np.concatenate([sales, sales]), np.concatenate([reports, balances])
    table = np.repeat([0, 1, 2], [SALES, REPORTS, STORES])
    piece = np.zeros(len(table), np.int32)
    return piece, src.astype(np.int32), dst.astype(np.int32), table.astype(np.int32)


def cut_night(theta: int, outside: tuple[I32, I32]) -> I32:
    """Return the set of each item in a night."""

    def below(piece: I32, src: I32, dst: I32, table: I32) -> tuple[I32, int]:
        return cut(piece, src, dst, table, theta, limit=200, bars=np.array([1_000], np.int32))

    label, count = cut_appended(outside, *night(), below)
    assert set(label.tolist()) == set(range(count))
    return label


def reached(label: I32, item: int) -> set[int]:
    """Return all items in the sets that the question upstream of ``item`` reads."""
    _, src, dst, _ = night()
    parents = defaultdict(set)
    for child, parent in zip(label[dst].tolist(), label[src].tolist(), strict=True):
        parents[child].add(parent)
    found, left = set[int](), [int(label[item])]
    while left:
        if (each := left.pop()) not in found:
            found.add(each)
            left += parents[each]
    return set(np.flatnonzero(np.isin(label, list(found))).tolist())


def test_a_question_about_a_report_does_not_lead_to_the_stored_balances() -> None:
    balances = np.arange(SALES + REPORTS, SALES + REPORTS + STORES, dtype=np.int32)
    before = balances, np.arange(STORES, dtype=np.int32)
    for theta in (2_000, 25_000):
        label = cut_night(theta, before)
        for report in range(SALES, SALES + REPORTS):
            assert not reached(label, report) & set(balances.tolist())


def test_without_stored_sets_the_cut_is_that_of_the_pieces() -> None:
    none = np.empty(0, np.int32)
    piece, src, dst, table = night()
    whole = cut(piece, src, dst, table, 2_000, limit=200, bars=np.array([1_000], np.int32))[0]
    assert cut_night(2_000, (none, none)).tolist() == whole.tolist()
