"""Parquet has the same columns and rows as CSV, and preserves column types."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from provhouse.model.answer import Answer
from provhouse.model.errors import UsageError
from provhouse.output import parquet_writer as parquet
from provhouse.output.results.answer_view import AnswerResult
from provhouse.output.results.cypher_rows import RowsResult
from provhouse.output.writer import opened


def table(folder: Path, result: Any) -> Any:
    path = folder / "x.parquet"
    with opened(None, path) as output:
        output.write(result)
    return pq.read_table(path)


def test_an_answer_has_a_row_for_each_item(
    small: Answer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "ROWS", 2)
    found = table(tmp_path, AnswerResult(small))
    names = ["item", "table", "depth"]
    assert found.schema.names == names
    assert list(map(str, found.schema.types)) == ["string", "string", "int64"]
    assert found.to_pylist() == small.items.select(names).to_pylist()


def test_an_empty_answer_has_columns(empty: Answer, tmp_path: Path) -> None:
    assert table(tmp_path, AnswerResult(empty)).schema.names == ["item", "table", "depth"]


def test_values_keep_their_types_or_are_json(tmp_path: Path) -> None:
    rows = [(1, 0.5, True, "a", ["x"], None, 1), (None, None, None, None, {"k": 1}, None, "b")]
    found = table(tmp_path, RowsResult(list("abcdefg"), rows))
    types = ["int64", "double", "bool", "string", "string", "string", "string"]
    assert list(map(str, found.schema.types)) == types
    assert found["e"].to_pylist() == ['["x"]', '{"k": 1}']
    assert found["g"].to_pylist() == ["1", "b"]


def test_a_column_that_changes_its_type_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "ROWS", 1)
    with pytest.raises(UsageError, match="several types"):
        table(tmp_path, RowsResult(["a"], [(1,), ("x",)]))
    assert not (tmp_path / "x.parquet").exists()
