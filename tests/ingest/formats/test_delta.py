"""A Delta table is read at its current version, whatever other files are in its folder."""

import json
from datetime import date, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from provhouse.ingest.formats.discover import sources
from provhouse.ingest.formats.known_formats import batches
from provhouse.model.errors import BadInput


def read(folder: Path) -> list[dict[str, object]]:
    return sorted(
        (
            {**row, "attributes": attributes}
            for source in sources([folder], None)
            for batch in batches(source)
            for row, attributes in zip(
                batch.rows.to_pylist(), batch.attributes.to_pylist(), strict=True
            )
        ),
        key=lambda row: str(row["src"]),
    )


def test_partition_columns_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "a tä%ble"
    rows = pa.table({
        "src": ["a", "b", "c"], "dst": ["x", "y", "z"], "v": [1, 2, None],
        "src_table": ["r a/ü%+", "q", None], "day": [date(2013, 1, 1)] * 3,
        "at": [datetime(2013, 1, 1, 5, 0, 0, 250_000)] * 3,
    })  # fmt: skip
    write_deltalake(folder, rows, partition_by=["src_table", "day", "at"])
    shared = '"at":"2013-01-01T05:00:00.25","day":"2013-01-01"'
    assert read(folder) == [
        {"src": "a", "dst": "x", "src_table": "r a/ü%+", "attributes": f'{{{shared},"v":"1"}}'},
        {"src": "b", "dst": "y", "src_table": "q", "attributes": f'{{{shared},"v":"2"}}'},
        {"src": "c", "dst": "z", "attributes": f"{{{shared}}}"},
    ]


def test_only_the_current_version_is_read(tmp_path: Path) -> None:
    write_deltalake(tmp_path / "t", pa.table({"src": ["a", "b"], "dst": ["x", "y"]}))
    more = pa.table({"src": ["c"], "dst": ["z"], "new": [1.5]})
    write_deltalake(tmp_path / "t", more, mode="append", schema_mode="merge")
    DeltaTable(tmp_path / "t").delete("src = 'a'")
    assert read(tmp_path / "t") == [
        {"src": "b", "dst": "y", "attributes": ""},
        {"src": "c", "dst": "z", "attributes": '{"new":"1.5"}'},
    ]
    DeltaTable(tmp_path / "t").delete()
    assert read(tmp_path / "t") == []


@pytest.mark.parametrize(
    "log", [None, b"", b"{", b'{"protocol":{"minReaderVersion":99,"minWriterVersion":99}}\n']
)
def test_a_broken_log_is_named(tmp_path: Path, log: bytes | None) -> None:
    folder = tmp_path / "t"
    (folder / "_delta_log").mkdir(parents=True)
    if log is not None:
        (folder / "_delta_log" / f"{0:020}.json").write_bytes(log)
    with pytest.raises(BadInput, match=f"Cannot read the Delta table {folder}"):
        sources([folder], None)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    write_deltalake(tmp_path / "t", pa.table({"src": ["a"], "dst": ["x"]}))
    (file,) = (tmp_path / "t").glob("*.parquet")
    file.unlink()
    with pytest.raises(BadInput, match=file.name):
        read(tmp_path / "t")


def _rewritten(folder: Path, change: dict[str, object]) -> None:
    """Change the first entry in the log of the table."""
    log = folder / "_delta_log" / f"{0:020}.json"
    actions = [json.loads(line) for line in log.read_text().splitlines()]
    for action in actions:
        for kind, values in change.items():
            if kind in action:
                action[kind].update(values)
    log.write_text("".join(json.dumps(action) + "\n" for action in actions))


def test_an_impossible_file_name_in_the_log_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "table"
    write_deltalake(folder, pa.table({"src": ["a"], "dst": ["b"]}))
    log = folder / "_delta_log" / f"{0:020}.json"
    log.write_bytes(log.read_bytes().replace(b'"path":"', b'"path":"%00'))
    with pytest.raises(BadInput, match="impossible file name"):
        sources([folder], None)


def test_renamed_columns_are_refused(tmp_path: Path) -> None:
    write_deltalake(tmp_path / "t", pa.table({"src": ["a"], "dst": ["x"]}))
    mode = {"configuration": {"delta.columnMapping.mode": "name"}}
    _rewritten(tmp_path / "t", {"metaData": mode})
    with pytest.raises(BadInput, match="Columns are renamed"):
        sources([tmp_path / "t"], None)


def test_deletion_vectors_are_refused(tmp_path: Path) -> None:
    names = [str(n) for n in range(40)]
    write_deltalake(tmp_path / "t", pa.table({"src": names, "dst": names}))
    vector = {  # the example in Delta's protocol, which deletes rows 3, 4, 7, 11, 18 and 29
        "storageType": "i",
        "pathOrInlineDv": "^Bg9^0rr910000000000iXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L",
        "sizeInBytes": 40,
        "cardinality": 6,
    }
    needed = {
        "readerFeatures": ["deletionVectors"],
        "writerFeatures": ["deletionVectors"],
        "minReaderVersion": 3,
        "minWriterVersion": 7,
    }
    _rewritten(tmp_path / "t", {"protocol": needed})
    assert len(read(tmp_path / "t")) == 40
    _rewritten(tmp_path / "t", {"add": {"deletionVector": vector}})
    with pytest.raises(BadInput, match="Rows are deleted"):
        sources([tmp_path / "t"], None)
