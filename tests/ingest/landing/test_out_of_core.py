"""Pairs and keys that do not fit in memory are resolved in parts, and give the same result."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from provhouse.capturing.reading import row_keys as keys
from provhouse.capturing.reading import spread
from provhouse.capturing.reading.id_pairs import Pairs, PairSet
from provhouse.capturing.reading.row_keys import KeyStore, check_keys
from provhouse.model.arrays import I64
from provhouse.model.associations import ROW_BITS
from provhouse.model.errors import BadInput


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the parts 50 rows long, and read them 70 rows at a time."""
    monkeypatch.setattr(spread, "MOST", 50)
    monkeypatch.setattr(keys, "PIECE", 70)


def row_ids(rng: np.random.Generator, count: int) -> I64:
    """Return IDs of rows in three files."""
    found: I64 = (rng.integers(0, 3, count) << ROW_BITS) + rng.integers(0, 1 << 22, count) // 999
    return found


def hashed(rng: np.random.Generator, count: int) -> I64:
    """Return numbers like the hashes of groups with several key columns."""
    found: I64 = rng.choice(rng.integers(-(1 << 63), (1 << 63) - 1, 200), count)
    return found


@pytest.mark.parametrize("values", [row_ids, hashed])
def test_pairs_are_distinct_in_all_parts_together(
    values: Callable[[np.random.Generator, int], I64], tmp_path: Path
) -> None:
    rng = np.random.default_rng(19)
    found = PairSet(2000, tmp_path)
    at, row = rng.integers(0, 9, 2000), values(rng, 2000)
    for start in range(0, 2000, 300):
        found.add(Pairs(at[start : start + 300], row[start : start + 300]))
    expected = set(zip(at.tolist(), row.tolist(), strict=True))
    parts = list(found.seal(9).parts())
    assert len(parts) > 9
    assert found.count == len(expected) == sum(len(part.at) for part in parts)
    assert expected == {
        pair for part in parts for pair in zip(part.at.tolist(), part.row.tolist(), strict=True)
    }
    assert found.sizes.tolist() == np.bincount([pair[0] for pair in expected]).tolist()
    for part in parts:
        pairs = list(zip(part.at.tolist(), part.row.tolist(), strict=True))
        assert pairs == sorted(pairs)
    assert found.rows().tolist() == sorted(set(row.tolist()))


@pytest.mark.parametrize("columns", [("id",), ("name",), ("id", "name"), ("id", "line")])
def test_a_repeated_key_is_found_in_another_file(tmp_path: Path, columns: tuple[str, ...]) -> None:
    count = 500
    table = pa.table(
        {
            "id": pa.array(range(count), pa.int32()),
            "name": [f"n{each}" for each in range(count)],
            "line": [each % 7 for each in range(count)],
        }
    )
    one, other = tmp_path / "one.parquet", tmp_path / "other.parquet"
    pq.write_table(table.slice(0, 300), one)
    pq.write_table(table.slice(300), other)
    store = KeyStore(tmp_path, {})
    check_keys("t", columns, [one, other], store)
    names = ["/".join(str(table[column][each]) for column in columns) for each in (3, 299, 0)]
    found = store.of(one, columns).take(np.array([3, 299, 0])).cast(pa.string())
    assert found.to_pylist() == names
    pq.write_table(
        pa.concat_tables([table.slice(300), table.slice(5, 2)]), tmp_path / "again.parquet"
    )
    with pytest.raises(BadInput, match="not unique") as error:
        check_keys("t", columns, [one, tmp_path / "again.parquet"], store)
    assert "502 rows have 500 values" in str(error.value)


def test_texts_whose_hashes_are_equal_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "hashes", lambda texts: np.zeros(len(texts), np.uint64))
    pq.write_table(pa.table({"name": ["a", "b", "c"]}), tmp_path / "one.parquet")
    pq.write_table(pa.table({"name": ["d", "a"]}), tmp_path / "other.parquet")
    store = KeyStore(tmp_path, {})
    check_keys("t", ("name",), [tmp_path / "one.parquet"], store)
    with pytest.raises(BadInput, match="not unique") as error:
        check_keys(
            "t", ("name",), [tmp_path / f"{name}.parquet" for name in ("one", "other")], store
        )
    assert "5 rows have 4 values" in str(error.value)


def test_files_that_were_checked_before_are_read_only_if_their_keys_may_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / f"{night}.parquet" for night in range(4)]
    for night, path in enumerate(paths):
        pq.write_table(pa.table({"id": [*range(night * 10, night * 10 + 10)]}), path)
    first = KeyStore(tmp_path, {})
    check_keys("t", ("id",), paths[:3], first)
    ranges = [first.range(path, ("id",)) for path in paths[:3]]
    assert ranges == [(0, 9), (10, 19), (20, 29)]
    checked: dict[tuple[Path, tuple[str, ...]], keys.Range] = {
        (path, ("id",)): each for path, each in zip(paths, ranges, strict=False) if each
    }
    read = list[Path]()
    real = keys._stored

    def stored(path: Path, *rest: Any) -> keys.KeyValues:
        read.append(path)
        return real(path, *rest)

    monkeypatch.setattr(keys, "_stored", stored)
    check_keys("t", ("id",), paths, KeyStore(tmp_path, checked))
    assert read == [paths[3]]
    check_keys("t", ("id",), paths[:3], KeyStore(tmp_path, checked))
    assert read == [paths[3]]
    pq.write_table(pa.table({"id": [35, 25]}), paths[3])
    with pytest.raises(BadInput, match="not unique"):
        check_keys("t", ("id",), paths, KeyStore(tmp_path, checked))
    pq.write_table(pa.table({"id": [35, 35]}), paths[3])
    with pytest.raises(BadInput, match="not unique"):
        check_keys("t", ("id",), paths, KeyStore(tmp_path, checked))
    pq.write_table(pa.table({"id": pa.array([None], pa.int64())}), paths[3])
    with pytest.raises(BadInput, match="NULL"):
        check_keys("t", ("id",), paths, KeyStore(tmp_path, checked))
    pq.write_table(pa.table({"id": ["x"]}), paths[3])
    read.clear()
    check_keys("t", ("id",), paths, KeyStore(tmp_path, checked))
    assert sorted(read) == paths
