"""Parquet files in folders named ``COLUMN=VALUE`` get these columns."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from provhouse.ingest.formats.column_mapping import columns_of
from provhouse.ingest.formats.discover import sources
from provhouse.ingest.formats.known_formats import batches
from provhouse.ingest.formats.source import Source

ROWS = pa.table(
    {
        "src": ["a", "b", "c"],
        "dst": ["x", "y", "z"],
        "op": ["sum/ü", "join", None],
        "day": ["2013-01-01 05:00:00", "2", "2"],
    }
)


def read(found: list[Source]) -> list[tuple[object, ...]]:
    """Return the src, dst, op and attributes of all rows, sorted by src."""
    return sorted(
        (row["src"], row["dst"], row.get("op"), attributes)
        for source in found
        for batch in batches(source)
        for row, attributes in zip(
            batch.rows.to_pylist(), batch.attributes.to_pylist(), strict=True
        )
    )


def test_partition_columns_are_columns(tmp_path: Path) -> None:
    """The op and an attribute come from partition columns, for a folder, subfolder and pattern."""
    pq.write_to_dataset(ROWS, tmp_path / "t", partition_cols=["op", "day"])
    expected = [
        ("a", "x", "sum/ü", '{"day":"2013-01-01T05:00:00"}'),
        ("b", "y", "join", '{"day":"2"}'),
        ("c", "z", None, '{"day":"2"}'),
    ]
    assert read(sources([tmp_path / "t"], None)) == expected
    assert read(sources([tmp_path / "t" / "op=join"], None)) == expected[1:2]
    assert read(sources([tmp_path / "t" / "*" / "*" / "*.parquet"], None)) == expected


def test_partition_columns_can_be_mapped(tmp_path: Path) -> None:
    pq.write_to_dataset(ROWS.drop(["op"]), tmp_path / "t", partition_cols=["day"])
    found = sources([tmp_path / "t"], None, columns_of(["op=day"], None))
    assert {row[2] for row in read(found)} == {"2013-01-01 05:00:00", "2"}


def test_a_column_of_the_file_takes_precedence(tmp_path: Path) -> None:
    folder = tmp_path / "op=of the folder"
    folder.mkdir()
    pq.write_table(ROWS.select(["src", "dst", "op"]), folder / "one.parquet")
    assert [row[2] for row in read(sources([folder], None))] == ["sum/ü", "join", None]
