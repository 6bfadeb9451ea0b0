"""Strings that stand for a missing value are read as missing, in every format and column."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

from provhouse.ingest.formats.column_mapping import mapped_columns
from provhouse.ingest.formats.known_formats import batches, check
from provhouse.ingest.formats.source import Source

ROWS = {
    "from": ["a", "-", "--", r"\N", "a"],
    "dst": ["b", "b", "-", "b", "b"],
    "op": ["-", "f", "f", "f", r"\N"],
    "src_table": ["-", "T", "T", "T", "T"],
    "run": ["1", "1", "1", "1", "-"],
    "note": ["-", "x", r"\N", " -", "null"],
}
TYPES = {
    "string": pa.string(),
    "large string": pa.large_string(),
    "view": pa.string_view(),
    "dictionary": pa.dictionary(pa.int32(), pa.string()),
    "large dictionary": pa.dictionary(pa.int8(), pa.large_string()),
}


def expected(nulls: set[str]) -> list[dict[str, str | None]]:
    """Return the rows with None in place of the strings in ``nulls``, computed row by row."""
    rows = [dict(zip(ROWS, values, strict=True)) for values in zip(*ROWS.values(), strict=True)]
    return [{k: None if v in nulls else v for k, v in row.items()} for row in rows]


def read(source: Source) -> list[dict[str, str | None]]:
    """Return all values in each row, by the name of their input column."""
    check(source)
    found: list[dict[str, str | None]] = []
    for batch in batches(source):
        assert batch.scope is not None
        scopes, attributes = batch.scope.to_pylist(), batch.attributes.to_pylist()
        for row, scope, text in zip(batch.rows.to_pylist(), scopes, attributes, strict=True):
            others = json.loads(text or "{}")
            assert others.get("run") == scope
            found.append(
                {
                    "from": row["src"],
                    **{name: row[name] for name in ("dst", "op", "src_table")},
                    "run": scope,
                    "note": others.get("note"),
                }
            )
    return found


def written(folder: Path, form: str) -> Path:
    table = pa.table(ROWS)
    if form in TYPES:
        path = folder / "rows.parquet"
        pq.write_table(table.cast(pa.schema([(name, TYPES[form]) for name in ROWS])), path)
        return path
    path = folder / f"rows.{form}"
    if form == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    else:
        separator = "\t" if form == "tsv" else ","
        pa_csv.write_csv(table, path, pa_csv.WriteOptions(delimiter=separator))
    return path


@pytest.mark.parametrize("nulls", [set(), {"-"}, {"-", r"\N"}, {"x", "T", "1"}])
@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl", *TYPES])
def test_null_texts_are_missing_values(tmp_path: Path, form: str, nulls: set[str]) -> None:
    path = written(tmp_path, form)
    columns = mapped_columns({"src": "from"}, "run", nulls)
    assert read(Source(str(path), path.suffix[1:], columns)) == expected(nulls)


def test_values_that_are_no_texts_stay(tmp_path: Path) -> None:
    rows = pa.table({"src": [1, 2], "dst": [-1, 3], "v": [-1.5, None], "l": [["-"], []]})
    pq.write_table(rows, tmp_path / "t.parquet")
    columns = mapped_columns({}, None, ["-1", "-1.5", "-"])
    (batch,) = batches(Source(str(tmp_path / "t.parquet"), "parquet", columns))
    assert batch.rows["dst"].to_pylist() == ["-1", "3"]
    assert json.loads(batch.attributes[0].as_py())["v"] == "-1.5"


def test_the_value_in_the_name_of_a_folder_can_be_missing(tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    pq.write_table(pa.table({"src": ["a"], "dst": ["b"]}), file)
    source = Source(
        str(file), "parquet", mapped_columns({}, None, ["-"]), constants=(("op", "-"), ("day", "-"))
    )
    (batch,) = batches(source)
    assert batch.rows["op"].to_pylist() == [None]
    assert batch.attributes.to_pylist() == [""]
