"""Arrays that do not fit into their room are stored in files, with unchanged values."""

import pickle
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from provhouse.runtime import room as module
from provhouse.runtime.room import MEMORY, Room, ascends, slices
from provhouse.runtime.storage import Array

PARTS = st.lists(st.lists(st.integers(-9, 9), max_size=9), max_size=9)


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Room:
    """A room of 200 bytes, with small blocks."""
    monkeypatch.setattr(module, "MEGABYTE", 1)
    monkeypatch.setattr(module, "LEAST", 1)
    monkeypatch.setattr(module, "BLOCK", 4)
    return Room(tmp_path / "files", 200)


def in_file(array: Array) -> bool:
    base: object = array
    while base is not None and not isinstance(base, np.memmap):
        base = getattr(base, "base", None)
    return base is not None


def test_arrays_beyond_the_limit_are_in_files(tiny: Room, tmp_path: Path) -> None:
    one, other = tiny.zeros(20, np.int64), tiny.zeros(20, np.int64)
    assert [in_file(one), in_file(other)] == [False, True]
    assert not one.any()
    assert not other.any()
    other[:] = range(20)
    assert other.sum() == 190
    assert list((tmp_path / "files").iterdir()) == []  # a killed process would leave no file
    del one
    assert not in_file(tiny.empty(20, np.int64))  # the room is free again
    assert in_file(tiny.zeros(300, bool))
    assert len(tiny.empty(0, np.int64)) == 0


def test_a_copy_in_a_task_has_the_same_limit(tiny: Room) -> None:
    copy = pickle.loads(pickle.dumps(tiny))
    assert [in_file(copy.empty(n, np.int8)) for n in (200, 201)] == [False, True]


@given(PARTS)
def test_values_are_the_same_in_memory_and_in_files(parts: list[list[int]]) -> None:
    values = [value for part in parts for value in part]

    def arrays() -> Iterator[Array]:
        return (np.array(part, np.int64) for part in parts)

    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(module, "MEGABYTE", 1)
        patch.setattr(module, "LEAST", 1)
        patch.setattr(module, "BLOCK", 4)
        for room in (MEMORY, Room(Path(folder), 1)):
            joined = room.joined(arrays(), np.int64)
            assert joined.tolist() == values
            assert in_file(joined) == (room is not MEMORY and bool(values))
            assert ascends(joined) == (values == sorted(values))
            assert room.distinct(arrays()).tolist() == sorted(set(values))
            tables = room.tables(
                pa.table({"n": array, "t": ["x"] * len(array)}) for array in arrays()
            )
            assert [row["n"] for one in tables for row in one.to_pylist()] == values


def test_slices_divide_an_array(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 4)
    assert [(rows.start, rows.stop) for rows in slices(9)] == [(0, 4), (4, 8), (8, 9)]
    assert list(slices(0)) == []
