"""Two successful attempts at one task count once, and are refused if their rows differ."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from provhouse.capturing.reading.tap_files import row_pieces, tap_files, tap_pieces
from provhouse.model.arrays import I64
from provhouse.model.errors import BadInput


def whole(tap: Path) -> I64:
    """Return all rows of a tap that has two columns."""
    return np.concatenate(list(tap_pieces(tap, 2)), axis=1)


def write(folder: Path, name: str, first: list[int], second: list[int]) -> None:
    """Write a file of a tap.

    ``name`` contains the partition, the stage and the attempt.
    """
    folder.mkdir(exist_ok=True)
    table = pa.table({"c0": pa.array(first, pa.int64()), "c1": pa.array(second, pa.int64())})
    pq.write_table(table, folder / f"{name}-{len(list(folder.iterdir())):016x}.parquet")


def test_equal_attempts_count_once(tmp_path: Path) -> None:
    tap = tmp_path / "0"
    write(tap, "000000-1.0-4", [1, 2], [10, 20])
    write(tap, "000001-1.0-5", [3], [30])
    write(tap, "000000-1.0-6", [2, 1], [20, 10])  # another order, as blocks of a shuffle may arrive
    write(tap, "000001-1.1-7", [3], [30])  # the stage was tried again
    assert whole(tap).tolist() == [[1, 2, 3], [10, 20, 30]]


def test_two_copies_of_a_tap_in_one_attempt_are_both_read(tmp_path: Path) -> None:
    tap = tmp_path / "0"
    for attempt in ("1.0-4", "1.1-9"):
        write(tap, f"000000-{attempt}", [1], [10])
        write(tap, f"000000-{attempt}", [2], [20])
    assert np.sort(whole(tap)).tolist() == [[1, 2], [10, 20]]


@pytest.mark.parametrize("other", [[1, 1], [1], [1, 2, 3]])
def test_different_attempts_are_refused(tmp_path: Path, other: list[int]) -> None:
    tap = tmp_path / "0"
    write(tap, "000000-1.0-4", [1, 2], [1, 2])
    write(tap, "000000-1.0-5", other, other)
    with pytest.raises(BadInput, match="which attempt of a task"):
        whole(tap)


def test_two_stages_may_run_the_same_tasks(tmp_path: Path) -> None:
    """Rows may then occur twice, which is harmless because pairs are a set."""
    again, elsewhere = tmp_path / "again", tmp_path / "elsewhere"
    for tap in (again, elsewhere):
        write(tap, "000000-1.0-4", [1, 2], [10, 20])
        write(tap, "000001-1.0-5", [3], [30])
    write(again, "000001-2.0-6", [3], [30])
    write(elsewhere, "000000-2.0-6", [3, 1, 2], [30, 10, 20])  # in another partition than before
    for tap in (again, elsewhere):
        assert {*zip(*whole(tap).tolist(), strict=True)} == {(1, 10), (2, 20), (3, 30)}


def test_two_stages_with_other_rows_are_refused(tmp_path: Path) -> None:
    tap = tmp_path / "0"
    write(tap, "000000-1.0-4", [1, 2], [10, 20])
    write(tap, "000002-1.0-5", [5], [50])
    write(tap, "000001-2.0-5", [4], [40])
    write(tap, "000000-2.0-6", [2, 1], [20, 10])
    # these tasks have the same rows as others, or are different tasks
    assert whole(tap).shape == (2, 6)
    write(tap, "000000-3.0-7", [1, 3], [10, 30])
    with pytest.raises(BadInput, match="which attempt of a task"):
        whole(tap)


def test_the_rows_of_the_output_must_have_one_order(tmp_path: Path) -> None:
    same, other = tmp_path / "same", tmp_path / "other"
    for folder in (same, other):
        write(folder, "000000-1.0-4", [1, 2], [1, 2])
    write(same, "000000-1.0-5", [1, 2], [1, 2])
    write(other, "000000-1.0-5", [2, 1], [2, 1])
    (rows,) = row_pieces(same, 2, 0)
    assert rows.tolist() == [[1, 2], [1, 2]]
    with pytest.raises(BadInput, match="which attempt of a task"):
        list(row_pieces(other, 2, 0))
    assert tap_files(other)
