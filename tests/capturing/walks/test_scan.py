"""A scan finds the same rows as a comparison of all values."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from provhouse.capturing.walks import row_scan as scan
from provhouse.model.associations import NONE

ROWS = 1000
ENDS = [NONE, NONE + 1, -1, 0, 1, (1 << 63) - 1]


@pytest.mark.parametrize("span", [1 << 8, 1 << 20, 1 << 62])
@pytest.mark.parametrize("count", [0, 1, 2, 30, 700])
def test_rows_are_those_with_the_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, span: int, count: int
) -> None:
    monkeypatch.setattr(scan, "HASHED", 20)
    monkeypatch.setattr(scan, "PART", 150)
    dice = np.random.default_rng(span + count)
    keys = dice.integers(-span, span, (2, ROWS))
    keys[:, : len(ENDS)] = ENDS
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path, key in zip(paths, keys, strict=True):
        table = pa.table({"key": key, "at": np.arange(ROWS)})
        pq.write_table(table, path, row_group_size=100)
    wanted = dice.choice(np.unique(np.append(keys, dice.integers(-span, span, ROWS))), count)
    found = list(scan.matches(paths, "key", scan.among(wanted), ["key", "at"]))
    for path, key in zip(paths, keys, strict=True):
        parts = [each for each in found if each.path == path]
        rows = np.concatenate([np.empty(0, np.int64), *(each.rows for each in parts)])
        assert rows.tolist() == np.flatnonzero(np.isin(key, wanted)).tolist()
        for each in parts:
            assert (each.values == [key[each.rows], each.rows]).all()
