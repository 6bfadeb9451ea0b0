"""Pairs sorted range by range have the same order as pairs sorted all at once."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from provhouse.runtime.storage import Array, create_array
from provhouse.store.names import pair_sort
from provhouse.store.names.pair_sort import count, sort_pairs
from provhouse.store.names.versions import versions_file, write_versions


@pytest.mark.parametrize("kind", ["spread", "few keys", "one key", "none", "dense"])
def test_pairs_are_in_order(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_sort, "RANGE", 1_000)
    monkeypatch.setattr(pair_sort, "SAMPLE", 10)
    draw = np.random.default_rng(7)
    most = {"spread": 1 << 62, "few keys": 5, "one key": 1, "none": 1, "dense": 10_000}[kind]
    sizes = [0, 0] if kind == "none" else [0, 1, 4_000, 3, 5_000, 996]
    parts = [(draw.integers(0, most, n, np.uint64), draw.permutation(n)) for n in sizes]
    seen = []

    def pairs() -> Iterator[tuple[Array, Array]]:
        return ((keys, values.astype(np.uint32)) for keys, values in parts)

    def lexsort(both: tuple[Array, Array]) -> Array:
        seen.append(len(both[0]))
        return real(both)

    real = np.lexsort
    total = count(pairs)
    assert total == sum(sizes)
    keys = create_array(tmp_path / "keys", np.uint64, (total,))
    values = create_array(tmp_path / "values", np.uint32, (total,))
    with monkeypatch.context() as patch:
        patch.setattr(np, "lexsort", lexsort)
        sort_pairs(pairs, keys, values)
    all_keys, all_values = (np.concatenate(each) for each in zip(*parts, strict=True))
    order = np.lexsort((all_values, all_keys))
    assert np.array_equal(keys, all_keys[order])
    assert np.array_equal(values, all_values[order])
    if kind in ("spread", "dense"):
        assert max(seen) < 2_000, "a range is much larger than it should be"


def test_a_file_of_versions_is_as_numpy_saves_it(tmp_path: Path) -> None:
    hashes, offsets = np.array([3, 1, 3], np.uint64), np.array([9, 4, 2], np.uint64)
    write_versions(tmp_path, 1, lambda: [(hashes, offsets)])
    np.save(tmp_path / "expected.npy", np.array([[1, 3, 3], [4, 2, 9]], np.uint64))
    written = versions_file(tmp_path, 1).read_bytes()
    assert written == (tmp_path / "expected.npy").read_bytes()
