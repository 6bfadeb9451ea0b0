"""Queries with files and data frames in FROM, and queries with parameters."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from provhouse.interactive import Connection, connect
from provhouse.model.errors import NotFound, UsageError
from provhouse.sql.parameters import Parameters


@pytest.fixture
def con() -> Iterator[Connection]:
    """A connection with one small table."""
    with connect(duckdb.connect()) as con:
        con.execute("create table t(k int, v varchar); insert into t values (0, 'a'), (1, 'b')")
        yield con


@pytest.fixture(params=["parquet", "csv", "json"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file with ten rows."""
    path = tmp_path / f"it's a.file.{request.param}"
    write(path, 10)
    return path


def write(path: Path, rows: int) -> None:
    name = str(path).replace("'", "''")
    duckdb.sql(f"copy (select range a, range % 3 k from range({rows})) to '{name}'")


def test_a_file_is_read_by_its_name(con: Connection, file: Path) -> None:
    name = str(file).replace("'", "''")
    sql = f"select k, sum(a) from '{name}' group by k order by k"
    result = con.sql(sql, lineage=True)
    assert result.to_arrow().equals(con.duckdb.sql(sql).to_arrow_table())
    assert result.backward(str(file), [1]).rids.tolist() == [1, 4, 7]
    assert result.backward(str(file), [1]).to_arrow()["a"].to_pylist() == [1, 4, 7]


def test_a_file_that_changed_is_read_again_and_earlier_results_stay(
    con: Connection, file: Path
) -> None:
    name = str(file).replace("'", "''")
    sql = f"select count(*) n from '{name}' x join t using (k)"
    first = con.sql(sql, lineage=True)
    file.unlink()
    write(file, 20)
    second = con.sql(sql, lineage=True)
    assert [each.to_arrow()["n"].to_pylist() for each in (first, second)] == [[7], [14]]
    assert first.backward(str(file)).rids.size == 7
    assert second.backward(str(file)).rids.size == 14


def test_options_of_a_reader_are_kept(con: Connection, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("1|a)\n2|b\n", encoding="utf-8")
    sql = f"select c.n from read_csv('{path}', delim = '|', names = ['n', 'x']) c where n > 1"
    result = con.sql(sql, lineage=True)
    assert result.to_arrow()["n"].to_pylist() == [2]
    assert result.references == [str(path)]
    assert result.backward(str(path), [0]).rids.tolist() == [1]


def test_a_missing_file_is_not_found(con: Connection, tmp_path: Path) -> None:
    with pytest.raises((NotFound, duckdb.IOException)):
        con.sql(f"select * from '{tmp_path}/none.parquet'", lineage=True)


def test_a_data_frame_is_the_variable_of_the_caller(con: Connection) -> None:
    frame = pa.table({"a": [1, 2, 3], "b": ["x", "y", "x"]})
    sql = "select b, sum(a) from frame f group by b order by b"
    first = con.sql(sql, lineage=True)
    frame = pa.table({"a": [5], "b": ["x"]})
    second = con.sql(sql, lineage=True)
    assert first.backward("frame", [0]).to_arrow()["a"].to_pylist() == [1, 3]
    assert second.backward("frame", [0]).to_arrow()["a"].to_pylist() == [5]
    assert frame.num_rows == 1


def test_a_table_comes_before_a_variable(con: Connection) -> None:
    t = pa.table({"k": [9]})
    assert con.sql("select k from t", lineage=True).to_arrow()["k"].to_pylist() == [0, 1]
    assert t.num_rows == 1


def test_a_variable_that_is_no_table_is_an_error(con: Connection) -> None:
    number = 5
    with pytest.raises((UsageError, duckdb.Error)):
        con.sql("select * from number", lineage=True)
    assert number == 5


@pytest.mark.parametrize(
    ("sql", "params"),
    [
        ("select k + ? as n, v from t where v = ?", [5, "b"]),
        ("select k + $2, $1, '?' from t -- ?", ["it's", 5]),
        ("select $a, $b from t where k = $a", {"a": 1, "b": None}),
        ("select ?, ?, ?, ?, ? from t", [0.1, Decimal("1.20"), date(2024, 2, 29), b"\x00a", True]),
        ("select ? from t", [[1, 2]]),
        ("select k from t limit ?", [1]),
    ],
)
def test_parameters_have_their_values(con: Connection, sql: str, params: Parameters) -> None:
    result = con.sql(sql, lineage=True, params=params)
    plain = con.duckdb.sql(sql, params=params).to_arrow_table()
    assert result.columns == plain.column_names
    assert result.to_arrow().to_pylist() == plain.to_pylist()
    assert result.backward("t", [0]).rids.size == 1


def test_a_parameter_without_a_value_is_an_error(con: Connection) -> None:
    with pytest.raises(UsageError, match="parameter 2 without a value"):
        con.sql("select ? + ? from t", lineage=True, params=[1])
