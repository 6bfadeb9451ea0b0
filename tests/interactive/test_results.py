"""Results: modes, wants, changes of tables, sources of data, and errors."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.interactive_oracle import same
from provhouse.interactive import Connection, Want, connect
from provhouse.model.errors import UsageError

GROUPS = (
    "select f.carrier, c.country, sum(f.delay) d, count(*) from f join c using (carrier) "
    "group by all"
)


@pytest.fixture
def con() -> Connection:
    """Flights and carriers. Carrier 9 has no flights, and some flights have no carrier."""
    con = duckdb.connect()
    con.execute("create table f as select i % 7 carrier, i % 11 delay, i id from range(200) t(i)")
    con.execute("create table c as select i * 3 carrier, 'c' || i % 2 country from range(4) t(i)")
    return connect(con)


@pytest.mark.long
def test_modes_agree_row_by_row(con: Connection) -> None:
    same(con, GROUPS, ("inject", "defer", "witness"))


def test_declared_references_are_captured_and_others_are_not(con: Connection) -> None:
    result = con.sql(GROUPS, lineage=True, want=Want(refs=("f",)))
    assert result.mode == "inject"
    assert "f: the query lists the rids of each group" in result.explain()
    assert "c: found by a witness query" in result.explain()
    limited = con.sql(GROUPS + " order by all limit 1", lineage=True, want=Want(refs=("f",)))
    assert limited.mode == "inject"
    one = "select carrier, count(*) from f group by all order by all limit 1"
    limited = con.sql(one, lineage=True, want=Want(refs=("f",)))
    assert limited.mode == "defer"
    assert result.size > limited.size > 0


def test_inject_is_refused_where_it_cannot_be_done(con: Connection) -> None:
    with pytest.raises(UsageError, match="cannot be injected"):
        con.sql("select * from f", lineage=True, mode="inject")


def test_records_and_queries_on_them(con: Connection) -> None:
    result = con.sql(GROUPS + " order by 1", lineage=True)
    records = result.backward("f", [1])
    assert records.to_arrow().column("carrier").unique().to_pylist() == [3]
    assert records.to_pandas().shape == (len(records), 3)
    assert records.sql("select sum(delay) s from records").to_pylist() == [
        {"s": result.to_arrow().column("d")[1].as_py()}
    ]
    assert result.forward("f", records.rids[:2]).tolist() == [1]


@pytest.mark.long
@pytest.mark.parametrize("gaps", [False, True])
def test_few_and_many_records_are_read_in_the_order_of_their_rids(gaps: bool) -> None:
    con = connect()
    con.execute("create table f as select range * 7 % 50001 as v, range % 3 as m from range(50000)")
    con.execute("delete from f where v % 11 = 3" if gaps else "select 1")
    for where in ("v = 77", "v < 300", "m = 1", "true"):
        records = con.sql(f"select v from f where {where}", lineage=True).backward("f")
        expected = con.duckdb.sql(f"select * from f where {where} order by rowid").to_arrow_table()
        assert records.to_arrow() == expected
        total = records.sql("select sum(v)::bigint s, count(*) n from records").to_pylist()
        assert total == [{"s": sum(expected["v"].to_pylist()), "n": len(expected)}]


def test_a_changed_table_makes_lineage_an_error_until_the_query_runs_again(
    con: Connection,
) -> None:
    result = con.sql("select count(*) from f", lineage=True)
    con.execute("delete from f where id = 3")
    with pytest.raises(UsageError, match="can no longer be asked"):
        result.backward("f")
    assert len(con.sql("select count(*) from f", lineage=True).backward("f")) == 199


@pytest.mark.parametrize(
    "change",
    ["insert into f values (1, 1, 1)", "delete from f where id = 5", "update f set delay = 0"],
)
def test_a_change_by_another_connection_is_noticed(change: str) -> None:
    raw = duckdb.connect()
    raw.execute("create table f as select i % 7 carrier, i % 11 delay, i id from range(200) t(i)")
    con = connect(raw)
    result = con.sql("select carrier, count(*) from f group by 1", lineage=True)
    raw.cursor().execute(change)
    with pytest.raises(UsageError, match="can no longer be asked"):
        result.backward("f", [0])


def test_kept_rows_are_read_again_after_a_change_by_another_connection() -> None:
    shared = duckdb.connect()
    shared.execute("create table a as select range id from range(30)")
    con = connect(shared)
    query = "select count(*) n from (select * from a limit 100) q"
    assert con.sql(query, lineage=True).to_arrow().to_pylist() == [{"n": 30}]
    shared.cursor().execute("insert into a select range from range(30, 80)")
    assert con.sql(query, lineage=True).to_arrow().to_pylist() == [{"n": 80}]


def test_records_of_a_changed_table_are_not_read() -> None:
    con = connect()
    con.execute("create table a as select range id from range(30)")
    records = con.sql("select id from a", lineage=True).backward("a", [3])
    con.sql("delete from a where id < 5")
    with pytest.raises(UsageError, match="can no longer be read"):
        records.to_arrow()


def test_files_and_frames_become_tables(tmp_path: Path) -> None:
    table = pa.table({"k": [1, 2, 1], "v": [1.5, 2.5, None]})
    pq.write_table(table, tmp_path / "trips.parquet")
    con = connect(tmp_path / "trips.parquet")
    con.register("frame", pd.DataFrame({"k": [1, 2]}))
    con.register("arrow", table)
    result = con.sql("select k, sum(v) from trips join frame using (k) group by k order by k",
                     lineage=True)  # fmt: skip
    assert result.backward("trips", [0]).rids.tolist() == [0, 2]
    assert con.sql("select * from arrow", lineage=True).backward("arrow", [1]).rids.tolist() == [1]


def test_errors_say_what_to_do(con: Connection) -> None:
    result = con.sql("select * from f", lineage=True)
    with pytest.raises(UsageError, match="reads no table named 'g'"):
        result.backward("g")
    with pytest.raises(UsageError, match="has no row 200"):
        result.backward("f", [200])
    with pytest.raises(UsageError, match="no such rid"):
        result.forward("f", [200])
    with pytest.raises(UsageError, match=r"has no row -1\nIts rows are 0 to 199"):
        result.backward("f", [3, -1])
    assert result.forward("f", []).tolist() == []
    wrong: Any = "injct"
    with pytest.raises(UsageError, match="There is no mode 'injct'"):
        con.sql("select * from f", lineage=True, mode=wrong)
    with pytest.raises(UsageError, match=r"refs of Want.*\n.*\nWrite refs=\('injct',\)"):
        Want(refs=wrong)
    with pytest.raises(UsageError, match="No view is named"):
        con.views("f")
    assert repr(result) == "<Result of f: 200>"
    assert repr(result.backward("f", [3])) == "<Records of f: 1>"
    with pytest.raises(UsageError, match="Only one query"):
        con.sql("select 1; select 2", lineage=True)
    with pytest.raises(duckdb.CatalogException):
        con.sql("select * from missing", lineage=True)


def test_importing_starts_nothing_heavy() -> None:
    code = (
        "import sys; from provhouse import interactive; interactive.connect().sql('select 1'); "
        "print([m for m in ('pyspark', 'neo4j', 'pandas', 'numba') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.long
def test_a_missing_pandas_is_named() -> None:
    code = (
        "from provhouse.runtime.imports import hide_unused; hide_unused(); "
        "from provhouse import interactive; "
        "interactive.connect().sql('select 1', lineage=True).to_pandas()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "pip install 'provhouse[pandas]'" in done.stderr


def test_a_notebook_shows_rows_and_records(con: Connection) -> None:
    con.duckdb.execute("insert into c values (99, '<b>x')")
    result = con.sql("select id, null n, delay / 2 d from f order by id", lineage=True)
    shown = result._repr_html_()
    assert shown.count("<tr>") == 21
    assert "<th>id</th><th>n</th>" in shown
    assert '<td style="text-align: right">19</td>' in shown
    assert "… 180 more" in shown
    assert ">NULL</td>" in shown
    records = con.sql("select * from c where carrier = 99", lineage=True).backward("c")
    assert "&lt;b&gt;x" in records._repr_html_()
    assert "more" not in records._repr_html_()
    many = result.backward("f")
    assert many._repr_html_().count("<tr>") == 21
    assert "… 180 more" in many._repr_html_()


def test_arrow_reads_rows_and_records_as_streams(con: Connection) -> None:
    result = con.sql(GROUPS, lineage=True)
    assert pa.table(result) == result.to_arrow()
    records = result.backward("f", [0])
    assert pa.table(records) == records.to_arrow()
    counted = duckdb.execute("select count(*) from records")
    assert counted.fetchall() == [(len(records),)]


def test_a_picture_has_the_tables_and_the_numbers_of_records(con: Connection) -> None:
    result = con.sql(GROUPS + " order by 1", lineage=True)
    counts = {name: len(result.backward(name, [1])) for name in ("f", "c")}
    text = result.draw([1]).text("dot")
    for name, count in counts.items():
        assert f'[label="{name}\\ntable, {count} item' in text
    assert '[label="result\\ntable, 1 item"' in text
    everything = result.draw().text("svg")
    assert f"table, {len(result)} items" in everything
    without = con.sql("select * from f where carrier not in (select carrier from c)", lineage=True)
    assert "no match" in without.draw().text("mermaid")
