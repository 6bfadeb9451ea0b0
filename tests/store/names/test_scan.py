"""A scan returns names in the order of their numbers, across batches and segments."""

from pathlib import Path

import pyarrow as pa
import pytest

from provhouse.model.columns import NAME, TABLE
from provhouse.store.names import scan as scanning
from provhouse.store.names.names import Names, Span
from provhouse.store.names.scan import scan
from provhouse.store.names.segments import BATCH, names_file, write_names

SEGMENT = 2 * BATCH


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Names:
    """Five segments of two visible ingests, and one segment of an invisible ingest."""
    monkeypatch.setattr(scanning, "_BATCHES", 1)
    for ingest, first, items in ((1, 1, 7_000), (2, 7_001, 100), (3, 8_001, 50)):
        for start in range(0, items, SEGMENT):
            texts = pa.array([f"{first + n}" for n in range(start, min(items, start + SEGMENT))])
            path = tmp_path / names_file(first + start, ingest)
            write_names(path, texts, pa.array([f"t{ingest}"] * len(texts)))
    return Names(tmp_path, [Span(1, 1, 7_000), Span(3, 8_001, 50)])


def test_all_names_in_order(names: Names) -> None:
    scanned = list(scan(names, lambda rows, first: (rows, first), (NAME, TABLE)))
    pieces = [rows for rows, _ in scanned]
    assert [first for _, first in scanned] == [int(rows[NAME][0].as_py()) for rows in pieces]
    assert {rows.num_rows for rows in pieces} == {BATCH, 7_000 % BATCH, 50}
    numbers = [*range(1, 7_001), *range(8_001, 8_051)]
    rows = pa.concat_tables(pieces, promote_options="default")
    assert rows[NAME].to_pylist() == [str(number) for number in numbers]
    assert rows[TABLE].cast(pa.string()).to_pylist() == ["t1"] * 7_000 + ["t3"] * 50


def test_only_the_first_names_are_read(names: Names) -> None:
    for most, read in ((1, BATCH), (BATCH, BATCH), (BATCH + 1, 2 * BATCH), (10**9, 7_050)):
        assert sum(scan(names, lambda rows, first: len(rows), most=most)) == read


def test_only_the_requested_columns_are_read(names: Names) -> None:
    assert {*map(tuple, scan(names, lambda rows, first: rows.column_names))} == {(NAME,)}


def test_a_scan_of_no_names(tmp_path: Path) -> None:
    assert [*scan(Names(tmp_path, []), lambda rows, first: first)] == []


def test_an_error_ends_the_scan(names: Names) -> None:
    def fail(rows: pa.Table, first: int) -> None:
        raise ValueError("this one")

    with pytest.raises(ValueError, match="this one"):
        list(scan(names, fail))
