"""Rows in a Delta table with row tracking are found by their row ID and the table version."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from provhouse.capturing.reading.description import SourceFile
from provhouse.capturing.reading.moved_keys import MovedFile, moved_file
from provhouse.model.associations import ROW_BITS
from provhouse.model.errors import UsageError
from provhouse.store.tables.written import RowTracking, Written

IDS, COMMITS = "_row-id-col-7", "_row-commit-version-col-8"
WRITES = (
    Written("t", 10, ("k",), (11, 10), "", tracking=RowTracking(IDS, (3, 3), (200, 100))),
    Written("t", 12, ("k",), (12,), "", tracking=RowTracking(IDS, (5,), (300,))),
    Written("other", 13, (), (13,), "", tracking=RowTracking("_row-id-col-9", (3,), (0,))),
    Written("plain", 14, (), (14,), ""),
)


def moved(path: Path, ids: list[int | None], commits: list[int | None]) -> MovedFile | None:
    """Return a file whose rows have the given row IDs and commit versions.

    For a row without these values, the defaults of the file apply: row IDs from 400, and version 6.
    """
    columns = {"k": range(len(ids)), IDS: ids, COMMITS: commits}
    pq.write_table(pa.table({name: pa.array(c, pa.int64()) for name, c in columns.items()}), path)
    return moved_file(SourceFile(0, path, path, "t", 0, 0, 400, 6), WRITES)


def test_a_row_is_that_of_the_write_that_has_changed_it_last(tmp_path: Path) -> None:
    places = [(100, 3), (199, 3), (207, 3), (303, 5), (303, 3), (100, 5), (99, 3), (150, 4)]
    unknown = [(None, None), (100, None), (None, 3)]
    ids, commits = (list(column) for column in zip(*places, *unknown, strict=True))
    found = moved(tmp_path / "moved.parquet", ids, commits)
    assert found
    assert (found.table, found.key) == ("t", ("k",))
    of, rows = (column.tolist() for column in found.rows)
    # An id beyond the last file of a version belongs to this file, because Delta gives no id twice.
    # A row with an earlier id than the files of its version was changed by that version's write.
    assert of == [0, 0, 0, 1, 0, 1, 0, -1, -1, -1, 0]
    files = [(10, 0), (10, 99), (11, 7), (12, 3), (11, 103)]
    ends = [(number << ROW_BITS) + row for number, row in files]
    assert rows == [*ends, -1, -1, -1, -1, -1, (11 << ROW_BITS) + 210]


def test_files_without_moved_rows_are_not_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "plain.parquet"
    pq.write_table(pa.table({"k": [1]}), path)
    assert moved_file(SourceFile(0, path, path, "t", 0, 0, 400, 6), WRITES) is None
    pq.write_table(pa.table({IDS: [1], COMMITS: [3]}), path)
    assert moved_file(SourceFile(0, path, path, "t", 0, 0), WRITES) is None
    assert moved_file(SourceFile(0, path, path, "t", 0, 0, 400, 6), WRITES[2:]) is None


def test_moved_rows_with_names_of_two_kinds_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "moved.parquet"
    pq.write_table(pa.table({IDS: [1], COMMITS: [3]}), path)
    renamed = Written("t", 15, ("id",), (15,), "", tracking=RowTracking(IDS, (7,), (500,)))
    with pytest.raises(UsageError, match="several ways"):
        moved_file(SourceFile(0, path, path, "t", 0, 0, 400, 6), (*WRITES, renamed))
