"""A partition has only the derivation columns in which at least one triple has a value."""

from pathlib import Path

import pyarrow as pa

from provhouse.model.columns import DESCRIPTION
from provhouse.store.tables.partitions import read_partition, write_partition

PLAIN = pa.table({"src": [1, 2], "dst": [3, 3], "op": ["a", "b"], "attributes": ["", ""]})


def test_columns_without_a_value_take_no_space(tmp_path: Path) -> None:
    """Empty derivation columns do not change a single byte in a file of plain triples."""
    empty = PLAIN
    for name, kind in DESCRIPTION.items():
        empty = empty.append_column(name, pa.nulls(2, kind))
    write_partition(PLAIN, tmp_path / "plain")
    write_partition(empty, tmp_path / "empty")
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "empty").read_bytes()


def test_a_column_that_the_file_lacks_is_null(tmp_path: Path) -> None:
    write_partition(PLAIN, tmp_path / "plain")
    rows = read_partition(tmp_path / "plain", ("dst", *DESCRIPTION))
    assert rows.schema == pa.schema([("dst", pa.int64()), *DESCRIPTION.items()])
    assert all(rows[name].null_count == 2 for name in DESCRIPTION)


def test_a_column_with_one_value_is_kept(tmp_path: Path) -> None:
    value = pa.array([None, 0.1])
    write_partition(PLAIN.append_column("value", value), tmp_path / "valued")
    rows = read_partition(tmp_path / "valued", ("value", "way"))
    assert rows.to_pylist() == [{"value": None, "way": None}, {"value": 0.1, "way": None}]
