"""Names from typed columns: a time has one name in all units; NaN and infinity are not names."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from provhouse.ingest.formats.column_mapping import columns_of
from provhouse.ingest.formats.known_formats import batches
from provhouse.ingest.formats.source import Source
from provhouse.ingest.staging import Staging
from provhouse.ingest.steps.read_stage import StagedFile, StageFile
from provhouse.model.errors import BadInput

NOON, LATER = datetime(2026, 3, 1, 12), datetime(2026, 3, 1, 12, 0, 0, 120_000)
NAN, INFINITY = float("nan"), float("inf")


def names(folder: Path, table: pa.Table) -> list[tuple[str, str]]:
    """Write a table as a Parquet file, and return each src and dst that is read from the file."""
    path = folder / "t.parquet"
    pq.write_table(table, path)
    (batch,) = batches(Source(str(path), "parquet"))
    return list(zip(batch.rows["src"].to_pylist(), batch.rows["dst"].to_pylist(), strict=True))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "America/New_York"])
def test_an_instant_has_one_name_in_all_units_and_zones(
    tmp_path: Path, unit: str, zone: str | None
) -> None:
    """Timestamps in whole seconds keep the names that they had in earlier releases."""
    at = [each.replace(tzinfo=UTC) if zone else each for each in (NOON, LATER)]
    if unit == "s":
        at[1] = at[0]
    times = pa.array(at, pa.timestamp(unit, zone))
    end = "Z" if zone else ""
    later = "" if unit == "s" else ".12"
    assert names(tmp_path, pa.table({"src": times, "dst": times})) == [
        (f"2026-03-01 12:00:00{end}",) * 2,
        (f"2026-03-01 12:00:00{later}{end}",) * 2,
    ]


def test_text_is_no_time(tmp_path: Path) -> None:
    text = ["2026-03-01 12:00:00.000"]
    assert names(tmp_path, pa.table({"src": text, "dst": text})) == [(text[0], text[0])]


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()])
def test_nan_and_infinity_are_no_names(tmp_path: Path, kind: pa.DataType) -> None:
    src, dst = [NAN, 1.5, 2, INFINITY, 5], [1, None, 3, 4, -INFINITY]
    table = pa.table({"src": pa.array(src, kind), "dst": pa.array(dst, kind)})
    assert names(tmp_path, table) == [
        (None, "1"), ("1.5", None), ("2", "3"), (None, "4"), ("5", None),
    ]  # fmt: skip


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_rows_whose_ends_or_scope_are_nan_or_null_are_rejected(tmp_path: Path, form: str) -> None:
    rows: list[dict[str, float | None]] = [
        {"src": a, "dst": b, "run": c}
        for a, b, c in [(1.0, 2.0, 1.0), (NAN, 2.0, 1.0), (1.0, None, 1.0), (1.0, 2.0, NAN)]
    ]
    path = tmp_path / f"t.{form}"
    if form == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    staging = Staging(tmp_path / "staging").create()
    source = Source(str(path), form, columns_of([], "run"))
    assert StageFile(0, source, staging, 1, 0, 1, "unique").run() == StagedFile(1, 3)
    reasons = pq.read_table(staging.rejects(0))["reason"].to_pylist()
    assert reasons == ["no src", "no dst", "no run"]


@pytest.mark.parametrize("column", ["src", "dst", "op", "dst_table"])
@pytest.mark.parametrize(
    ("kind", "value", "found"),
    [
        (pa.list_(pa.string()), ["a", "b"], "lists"),
        (pa.large_list(pa.int64()), [1], "lists"),
        (pa.list_(pa.int64(), 2), [1, 2], "lists"),
        (pa.struct([("k", pa.int64())]), {"k": 1}, "structs"),
        (pa.map_(pa.string(), pa.int64()), {"k": 1}, "maps"),
        (pa.list_(pa.string()), None, "lists"),
        (pa.list_(pa.string()), [], "lists"),
    ],
)
def test_lists_are_no_names(
    tmp_path: Path, column: str, kind: pa.DataType, value: object, found: str
) -> None:
    values = {name: pa.array(["x"]) for name in ("src", "dst", "op", "dst_table")}
    with pytest.raises(BadInput) as error:
        names(tmp_path, pa.table({**values, column: pa.array([value], kind)}))
    assert f"the column {column} contains {found}" in error.value.wanted
    assert "cast" not in str(error.value)


def test_bytes_that_are_no_text_are_named_in_our_words(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="The text is not UTF-8"):
        names(tmp_path, pa.table({"src": [b"\xff"], "dst": ["b"]}))
