"""Names that are gone lead nowhere, and all others as they did, in whatever order they go."""

from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pytest

from provhouse.store.hashing import hashes
from provhouse.store.nameless import add_erased, clear_lookup, clear_segments
from provhouse.store.names import BATCH, Names, Span, names_file, write_index, write_names
from provhouse.store.scan import scan


@pytest.mark.parametrize("count", [1, 2, 7, 3 * BATCH])
def test_names_go_one_after_the_other(tmp_path: Path, count: int) -> None:
    random = Random(count)
    span = Span(1, 5, count)
    texts = pa.array([f"name {n}" for n in range(count)])
    for at in range(0, count, 2 * BATCH):
        some = texts[at : at + 2 * BATCH]
        tables = pa.array(["t", ""] * len(some))[: len(some)]
        write_names(tmp_path / names_file(5 + at, 1), some, tables)
    write_index(tmp_path, 1, hashes(texts), np.arange(count, dtype=np.uint32))
    order = [5 + n for n in range(count)]
    random.shuffle(order)
    gone: set[int] = set()
    for some in [order[:1], order[1:4], order[4:]] if count < 100 else [order[:900], order[900:]]:
        if not some:
            continue
        items = np.sort(np.array(some, np.int64))
        add_erased(tmp_path, items)
        gone |= set(some)
        _assert_gone(tmp_path, span, texts, gone)  # at once
        clear_segments(tmp_path, [span], items)
        clear_lookup(tmp_path, span, items)
        _assert_gone(tmp_path, span, texts, gone)
        stored = Names(tmp_path, [span]).stored(np.sort(np.array(list(gone), np.int64)))
        assert stored.null_count == len(gone)
        left = np.load(tmp_path / "00000001.hash.npy")
        assert len(left) == count
        assert (left[1:] >= left[:-1]).all()
        removed = texts.take(pa.array(np.array(sorted(gone)) - 5))
        assert not np.isin(hashes(removed), left).any()


def _assert_gone(folder: Path, span: Span, texts: pa.Array, gone: set[int]) -> None:
    names = Names(folder, [span])
    expected = [-1 if 5 + n in gone else 5 + n for n in range(len(texts))]
    assert names.locate(texts).tolist() == expected
    shown = [None if n < 0 else f"name {n - 5}" for n in expected]
    assert names.names(np.arange(5, 5 + len(texts))).to_pylist() == shown
    seen = [name for part in scan(names, lambda rows, _: rows["name"].to_pylist()) for name in part]
    assert seen == shown
    assert names.tables(np.array([5])).to_pylist() == ["t"]
