"""After erasures in any order, erased names cannot be found and all other names still can."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from helpers.lookups import FORMS
from provhouse.commit.erasing import name_files
from provhouse.commit.erasing.name_files import clear_lookup, clear_segments, mark_erased
from provhouse.model.arrays import ItemNumbers
from provhouse.store.names.erased import ERASED
from provhouse.store.names.lookup import lookup_file, read_lookup
from provhouse.store.names.names import Names, Span
from provhouse.store.names.scan import scan
from provhouse.store.names.segments import BATCH, names_file, write_names

Write = Callable[[Path, int, pa.Array], None]


@pytest.mark.parametrize("write", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("count", [1, 2, 7, 3 * BATCH])
def test_names_are_erased_step_by_step(tmp_path: Path, count: int, write: Write) -> None:
    random = Random(count)
    span = Span(1, 5, count)
    texts = pa.array([f"name {n}" for n in range(count)])
    for at in range(0, count, 2 * BATCH):
        some = texts[at : at + 2 * BATCH]
        tables = pa.array(["t", ""] * len(some))[: len(some)]
        write_names(tmp_path / names_file(5 + at, 1), some, tables)
    write(tmp_path, 1, texts)
    order = [5 + n for n in range(count)]
    random.shuffle(order)
    gone: set[int] = set()
    for some in [order[:1], order[1:4], order[4:]] if count < 100 else [order[:900], order[900:]]:
        if not some:
            continue
        items = ItemNumbers(np.sort(np.array(some, np.int64)))
        mark_erased(tmp_path, items)
        gone |= set(some)
        _assert_gone(tmp_path, span, texts, gone)  # the names are hidden before the files change
        clear_segments(tmp_path, [span], items)
        clear_lookup(tmp_path, span, items)
        _assert_gone(tmp_path, span, texts, gone)
        stored = Names(tmp_path, [span]).stored(
            ItemNumbers(np.sort(np.array(list(gone), np.int64)))
        )
        assert stored.null_count == len(gone)
        left = [n for n in range(count) if 5 + n not in gone]
        assert sorted(read_lookup(tmp_path, 1).offsets().tolist()) == left
        assert sorted(tmp_path.glob("*.npy")) == [lookup_file(tmp_path, 1), tmp_path / ERASED]


@pytest.mark.parametrize("write", FORMS.values(), ids=FORMS)
def test_concurrent_readers_find_all_other_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    """During an erasure, readers find all other names, no matter which files they have loaded.

    If the erasure is killed, a retry removes the remaining files.
    """
    span, texts = Span(1, 1, 99), pa.array([f"name {n}" for n in range(99)])
    write_names(tmp_path / names_file(1, 1), texts, pa.array(["t"] * 99))
    write(tmp_path, 1, texts)
    readers = [Names(tmp_path, [span])]
    readers[0].locate(texts)
    seen = []

    def killed(name: str) -> None:
        seen.append(name)
        readers.append(Names(tmp_path, [span]))
        assert readers[-1].locate(texts[1:]).tolist() == list(range(2, 100))
        if name == "look-up switched":
            raise KeyboardInterrupt

    mark_erased(tmp_path, ItemNumbers(np.array([1])))
    monkeypatch.setattr(name_files, "reach", killed)
    with pytest.raises(KeyboardInterrupt):
        clear_lookup(tmp_path, span, ItemNumbers(np.array([1])))
    clear_lookup(tmp_path, span, ItemNumbers(np.array([1])))
    assert seen == ["look-up rewritten", "look-up switched"]
    assert sorted(tmp_path.glob("*.npy")) == [lookup_file(tmp_path, 1), tmp_path / ERASED]
    for reader in (*readers, Names(tmp_path, [span])):
        assert reader.locate(texts[1:]).tolist() == list(range(2, 100))


def test_a_look_up_replaced_between_reads_of_its_files_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    span, texts = Span(1, 1, 3), pa.array(["a", "b", "c"])
    FORMS["old"](tmp_path, 1, texts)
    load = np.load

    def late(path: Path, **options: Any) -> object:
        if path.name.endswith("offset.npy"):
            monkeypatch.setattr(np, "load", load)
            clear_lookup(tmp_path, span, ItemNumbers(np.array([2])))
        return load(path, **options)

    monkeypatch.setattr(np, "load", late)
    assert sorted(read_lookup(tmp_path, 1).offsets().tolist()) == [0, 2]


def _assert_gone(folder: Path, span: Span, texts: pa.Array, gone: set[int]) -> None:
    names = Names(folder, [span])
    expected = [-1 if 5 + n in gone else 5 + n for n in range(len(texts))]
    assert names.locate(texts).tolist() == expected
    shown = [None if n < 0 else f"name {n - 5}" for n in expected]
    assert names.names(ItemNumbers(np.arange(5, 5 + len(texts)))).to_pylist() == shown
    seen = [name for part in scan(names, lambda rows, _: rows["name"].to_pylist()) for name in part]
    assert seen == shown
    assert names.tables(ItemNumbers(np.array([5]))).to_pylist() == ["t"]
