"""Packed keys sort rows in the same order as unpacked keys."""

import numpy as np
import pytest

from provhouse.ingest.steps.sort_keys import packed, sorted_by

LARGEST = np.iinfo(np.int64).max
COLUMNS = {
    "few": (-1, 3),
    "constant": (7, 8),
    "items": (1 << 33, (1 << 33) + 1000),
    "hashes": (-LARGEST, LARGEST),
    "half": (-(1 << 31), 1 << 31),
}


@pytest.mark.parametrize(
    "names",
    [
        ("few", "items", "items"),
        ("hashes", "few", "hashes", "constant"),
        ("few", "half", "half", "few"),
        ("constant", "constant"),
        ("hashes",),
    ],
)
@pytest.mark.parametrize("rows", [0, 1, 500])
def test_rows_have_the_same_order_and_the_same_equal_rows(
    names: tuple[str, ...], rows: int
) -> None:
    random = np.random.default_rng(rows)
    keys = [random.integers(*COLUMNS[name], rows) for name in names]
    if "hashes" in names and rows > 1:
        # the difference of these two needs 64 bits
        keys[names.index("hashes")][:2] = (-LARGEST - 1, LARGEST)
    found = packed(keys)
    order = sorted_by(found)
    assert len(found) <= len(keys)
    assert order.tolist() == np.lexsort(keys).tolist()
    equal = [np.diff(key[order]) == 0 for key in keys]
    alike = [np.diff(key[order]) == 0 for key in found]
    assert np.logical_and.reduce(alike).tolist() == np.logical_and.reduce(equal).tolist()


def test_neighbours_are_joined() -> None:
    keys = [np.arange(9), np.full(9, 5), np.arange(9) % 3, np.arange(9) << 40]
    assert len(packed(keys)) == 1
