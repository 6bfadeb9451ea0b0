"""Records are read from every format, keep their values as of opening, and lead to a trace."""

import gzip
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from provhouse.interactive.charts.file_records import FileRecords
from provhouse.interactive.charts.saved_selection import write_selection
from provhouse.model.errors import BadInput, NotFound, ProvhouseError, UsageError

TABLE = pa.table({"id": [7, 8, 9], "kind": ["a", None, "b"]})


def _csv(table: pa.Table, file: Path) -> None:
    pa.csv.write_csv(table, file)


def _zipped(table: pa.Table, file: Path) -> None:
    with gzip.open(file, "wb") as out:
        pa.csv.write_csv(table, out)


def _stream(table: pa.Table, file: Path) -> None:
    with pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table)


def _duckdb(table: pa.Table, file: Path) -> None:
    with duckdb.connect(str(file)) as connection:
        connection.register("given", table)
        connection.execute("create table rows as select * from given")
        connection.execute("create table others as select 1")


WRITERS: dict[str, Callable[[pa.Table, Path], None]] = {
    "rows.parquet": pq.write_table,
    "rows.csv": _csv,
    "rows.csv.gz": _zipped,
    "rows.feather": pa.feather.write_feather,
    "rows.arrows": _stream,
    "file.duckdb": _duckdb,
}


@pytest.mark.parametrize("name", WRITERS)
def test_each_format_has_the_same_records(tmp_path: Path, name: str) -> None:
    WRITERS[name](TABLE, tmp_path / name)
    records = FileRecords(tmp_path / name, "rows" if name == "file.duckdb" else None)
    assert records.name == "rows"
    found = records.table.select(records.columns).to_pydict()
    assert [kind or None for kind in found.pop("kind")] == ["a", None, "b"]
    assert found == {"id": [7, 8, 9]}
    records.close()


def test_batches_may_have_different_dictionaries(tmp_path: Path) -> None:
    chunks = [pa.array(part).dictionary_encode() for part in (["x", "y"], ["z"])]
    table = pa.table({"a": pa.chunked_array(chunks)})
    pq.write_table(table, tmp_path / "d.parquet", row_group_size=2)
    records = FileRecords(tmp_path / "d.parquet")
    assert records.table.column("a").to_pylist() == ["x", "y", "z"]
    records.close()


def test_a_file_that_changes_is_noticed_and_its_old_records_stay(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    pq.write_table(TABLE, file)
    records = FileRecords(file)
    assert not records.changed
    pq.write_table(TABLE.slice(0, 1), file)
    assert records.changed
    assert records.table.equals(TABLE)
    with pytest.raises(BadInput, match="has changed since"):
        write_selection(records, np.array([0]), "one", "", tmp_path / "one.parquet")
    file.unlink()
    assert records.changed
    records.close()


@pytest.mark.parametrize(
    ("name", "content", "table", "kind", "problem"),
    [
        ("none.csv", None, None, NotFound, "no file"),
        ("rows.txt", b"a", None, UsageError, "Cannot tell the format"),
        ("rows.parquet", b"no parquet", None, BadInput, "Cannot read"),
        ("rows.csv", b"a,b\n1,2\n3\n", None, BadInput, "Cannot read"),
        ("rows.arrow", b"no arrow", None, BadInput, "Cannot read"),
        ("rows.duckdb", b"no database" * 2000, None, BadInput, "Cannot read"),
        ("rows.csv", b"a\n1\n", "t", UsageError, "has no tables"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(
    tmp_path: Path,
    name: str,
    content: bytes | None,
    table: str | None,
    kind: type[ProvhouseError],
    problem: str,
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(kind, match=problem):
        FileRecords(tmp_path / name, table)


@pytest.mark.parametrize(("table", "problem"), [(None, "No table"), ("x", "no table 'x'")])
def test_a_table_of_a_database_must_be_named(
    tmp_path: Path, table: str | None, problem: str
) -> None:
    _duckdb(TABLE, tmp_path / "file.duckdb")
    with pytest.raises(UsageError, match=problem) as raised:
        FileRecords(tmp_path / "file.duckdb", table)
    assert "others, rows" in raised.value.found


@pytest.mark.parametrize(
    ("key", "column", "ends"), [(None, "src_id", [0, 2]), ("id", "src_id", [7, 9])]
)
def test_a_selection_becomes_one_aggregate_of_its_records(
    tmp_path: Path, key: str | None, column: str, ends: list[int]
) -> None:
    pq.write_table(TABLE, tmp_path / "rows.parquet")
    records = FileRecords(tmp_path / "rows.parquet")
    out = tmp_path / "mine.parquet"
    write_selection(records, np.array([0, 2]), "mine", "kind: a, b", out, key)
    written = pq.read_table(out).to_pydict()
    assert written.pop(column) == ends
    assert {name: set(values) for name, values in written.items()} == {
        "src_table": {"rows"}, "dst": {"selection/mine"}, "dst_table": {"selection"},
        "op": {"brush"}, "op_kind": {"aggregate"}, "brushes": {"kind: a, b"},
    }  # fmt: skip
    with pytest.raises(UsageError, match="already exists"):
        write_selection(records, np.array([0]), "mine", "", out)
    records.close()


def test_records_of_a_database_are_identified_by_their_rowid(tmp_path: Path) -> None:
    _duckdb(TABLE, tmp_path / "f.db")
    with duckdb.connect(str(tmp_path / "f.db")) as connection:
        connection.execute("delete from rows where id = 7")
    records = FileRecords(tmp_path / "f.db", "rows")
    write_selection(records, np.array([0, 1]), "rest", "", tmp_path / "rest.parquet")
    assert pq.read_table(tmp_path / "rest.parquet").column("src_id").to_pylist() == [1, 2]
    records.close()


def test_a_key_must_identify_the_records(tmp_path: Path) -> None:
    pq.write_table(TABLE, tmp_path / "rows.parquet")
    records = FileRecords(tmp_path / "rows.parquet")
    with pytest.raises(BadInput, match="does not identify"):
        write_selection(records, np.array([0]), "a", "", tmp_path / "a.parquet", "kind")
    assert not (tmp_path / "a.parquet").exists()
    records.close()


def test_a_column_named_rowid_needs_a_key(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "f.duckdb")) as connection:
        connection.execute("create table rows(rowid varchar, id int)")
        connection.execute("insert into rows values ('x', 7), ('y', 8)")
    records = FileRecords(tmp_path / "f.duckdb")
    assert records.columns == ["rowid", "id"]
    with pytest.raises(BadInput, match="no row numbers"):
        write_selection(records, np.array([1]), "late", "", tmp_path / "a.parquet")
    write_selection(records, np.array([1]), "late", "", tmp_path / "b.parquet", key="id")
    assert pq.read_table(tmp_path / "b.parquet").column("src_id").to_pylist() == [8]
    records.close()


def test_values_that_arrow_changes_are_read_as_they_are(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "f.duckdb")) as connection:
        connection.execute("create table rows(u uhugeint, t timetz)")
        connection.execute(f"insert into rows values ({2**127}::uhugeint, '10:00:00+02')")
    records = FileRecords(tmp_path / "f.duckdb")
    assert records.table.column("u").to_pylist() == [2.0**127]
    assert records.table.column("t").to_pylist() == ["10:00:00+02"]
    records.close()
