"""Attributes have one canonical form, regardless of the file format from which they come."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from provhouse.ingest.formats.known_formats import batches
from provhouse.ingest.formats.source import Source
from provhouse.model.attributes import canonical


def test_nulls_are_left_out_and_empty_texts_are_kept() -> None:
    rows = pa.table({"b": ["1", None, "", None], "a": ["x", "y", None, None]})
    assert canonical(rows).to_pylist() == ['{"a":"x","b":"1"}', '{"a":"y"}', '{"b":""}', ""]


@given(
    st.lists(st.dictionaries(st.sampled_from(["a", 'q"', "é\n"]), st.text()), min_size=1)
)  # fmt: skip
def test_any_text_reads_back_unchanged(rows: list[dict[str, str]]) -> None:
    columns = {name: [row.get(name) for row in rows] for name in ("a", 'q"', "é\n")}
    texts = canonical(pa.table({k: pa.array(v, pa.string()) for k, v in columns.items()}))
    plain = [row for row in rows if not any(value[:4].isdigit() for value in row.values())]
    back = [json.loads(text) if text else {} for text in texts.to_pylist()]
    assert [row for row in back if row in plain] == plain


def test_rows_without_attributes_are_empty_texts() -> None:
    assert canonical(pa.table({"src": ["a", "b"]}).select([])).to_pylist() == ["", ""]
    rows = pa.table({"a": pa.array([None, None], pa.string())})
    assert canonical(rows).to_pylist() == ["", ""]


VALUES = [
    (pa.array([7]), "7"),
    (pa.array([-3], pa.int8()), "-3"),
    (pa.array([2**63], pa.uint64()), "9223372036854775808"),
    (pa.array([1.5]), "1.5"),
    (pa.array([0.1], pa.float32()), "0.1"),
    (pa.array([True]), "true"),
    (pa.array([Decimal("1.50")]), "1.50"),
    (pa.array([date(2013, 1, 1)]), "2013-01-01"),
    (pa.array([datetime(2013, 1, 1, 5)]), "2013-01-01 05:00:00"),
    (pa.array([datetime(2013, 1, 1, 5, 0, 0, 250_000)]), "2013-01-01 05:00:00.25"),
    (pa.array([datetime(2013, 1, 1, 5, tzinfo=UTC)]), "2013-01-01 05:00:00Z"),
    (pa.array([datetime(2013, 1, 1, 5)], pa.timestamp("s")), "2013-01-01T05:00:00"),
    (pa.array(["x"]).dictionary_encode(), "x"),
    (pa.array(["é, \"x\"\n"]), "é, \"x\"\n"),
]  # fmt: skip


@pytest.mark.parametrize(("column", "text"), VALUES, ids=str)
def test_csv_and_parquet_give_the_same_text(tmp_path: Path, column: pa.Array, text: str) -> None:
    parquet, csv = tmp_path / "t.parquet", tmp_path / "t.csv"
    pq.write_table(pa.table({"src": ["a"], "dst": ["b"], "v": column}), parquet)
    quoted = text.replace('"', '""')
    csv.write_text(f'src,dst,v\na,b,"{quoted}"\n', encoding="utf-8")
    read = [
        next(batches(Source(str(path), form))).attributes.to_pylist()
        for path, form in ((parquet, "parquet"), (csv, "csv"))
    ]
    assert read[0] == read[1]
    assert read[0] != [""]


def test_a_time_in_any_zone_is_written_in_utc(tmp_path: Path) -> None:
    at = pa.array([datetime(2013, 1, 1, 5)], pa.timestamp("us")).cast(
        pa.timestamp("us", "America/New_York")
    )
    assert canonical(pa.table({"v": at})).to_pylist() == ['{"v":"2013-01-01T05:00:00Z"}']
