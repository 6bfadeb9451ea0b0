"""Staging a file separates valid rows from rejected rows. Each reject is kept with a reason."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from provhouse.ingest.formats import limits
from provhouse.ingest.formats.column_mapping import AS_NAMED, ColumnNames, columns_of
from provhouse.ingest.formats.source import Source
from provhouse.ingest.staging import Staging
from provhouse.ingest.steps.read_stage import StagedFile, StageFile
from provhouse.runtime.storage import read_stream

ODD = 'q"u\\o\n\x01\x7f\u2028é😀'


def staging(folder: Path) -> Staging:
    return Staging(folder / "staging")


def staged(
    folder: Path, rows: Sequence[Sequence[str]], columns: ColumnNames = AS_NAMED
) -> StagedFile:
    """Stage a CSV file with the given rows, of which the first is the header."""
    path = folder / "t.csv"
    with path.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(rows)
    source = Source(str(path), "csv", columns)
    return StageFile(0, source, staging(folder).create(), 4, 0, 7, "unique").run()


def rejects(folder: Path) -> list[dict[str, object]]:
    return list(pq.read_table(staging(folder).rejects(0)).to_pylist())


def test_a_reject_is_kept_with_its_row_and_reason(tmp_path: Path) -> None:
    header = ("src", "dst", "op", ODD)
    rows = [("a", "b", "", "1"), ("", ODD, "", ""), (ODD, "", "x", ODD), ("", "", "", "")]
    assert staged(tmp_path, [header, *rows]) == StagedFile(1, 3)
    found = rejects(tmp_path)
    reported = [(row["row"], row["reason"], row["ingest"]) for row in found]
    assert reported == [(2, "no src", 7), (3, "no dst", 7), (4, "no src and no dst", 7)]
    assert {row["file"] for row in found} == {str(tmp_path / "t.csv")}
    attributes = json.dumps({ODD: ODD}, ensure_ascii=False, separators=(",", ":"))
    assert [json.loads(str(row["content"])) for row in found] == [
        {"src": None, "dst": ODD, "op": None, "attributes": ""},
        {"src": ODD, "dst": None, "op": "x", "attributes": attributes},
        {"src": None, "dst": None, "op": None, "attributes": ""},
    ]


def test_rows_are_numbered_across_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ROWS", 4)
    rows = [("src", "dst"), *[("a", "" if n % 3 else "b") for n in range(10)]]
    assert staged(tmp_path, rows) == StagedFile(4, 6)
    assert [row["row"] for row in rejects(tmp_path)] == [2, 3, 5, 6, 8, 9]


def test_a_name_is_staged_once_per_batch_and_table(tmp_path: Path) -> None:
    header = ("src", "dst", "src_table", "dst_table")
    rows = [("a", "b", "T", ""), ("a", "c", "T", "U"), ("a", "a", "S", "T")]
    staged(tmp_path, [header, *rows])
    parts = [read_stream(p) for p in staging(tmp_path).names.all()]
    named = [row for part in parts for row in part.to_pylist()]
    votes = {(row["name"], row["table"]): row["votes"] for row in named}
    assert votes == {("a", "T"): 3, ("a", "S"): 1, ("b", ""): 1, ("c", "U"): 1}
    assert len(read_stream(staging(tmp_path).rows(0))) == 3


def test_a_scope_is_put_before_names(tmp_path: Path) -> None:
    header = ("src", "dst", "run")
    rows = [("a", "b", "1"), ("a", "b", "2"), ("a", "", ""), ("a", "b", ""), ("", "b", "é")]
    assert staged(tmp_path, [header, *rows], columns_of([], "run")) == StagedFile(2, 3)
    reported = [(row["row"], row["reason"]) for row in rejects(tmp_path)]
    assert reported == [(3, "no dst and no run"), (4, "no run"), (5, "no src")]
    parts = [read_stream(p) for p in staging(tmp_path).names.all()]
    assert sorted(n for part in parts for n in part["name"].to_pylist()) == [
        "1/a", "1/b", "2/a", "2/b",
    ]  # fmt: skip
    assert json.loads(str(rejects(tmp_path)[1]["content"]))["src"] == "a"
