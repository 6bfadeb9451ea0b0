"""Statements that store the rows of a query: later queries follow the lineage of these rows."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb
import pytest

from helpers.random_statements import Program
from provhouse.interactive import Connection, connect
from provhouse.interactive.stored_rows import QUERY, StoredRows, order_of
from provhouse.model.errors import UsageError
from provhouse.sql.not_covered import NotCovered

FLIGHTS = """
    create table flights as
        select range as id, 'c' || range % 3 as carrier, range::double as delay from range(9)"""


@pytest.fixture
def con() -> Iterator[Connection]:
    """A separate connection, with nine flights of three carriers."""
    with connect() as con:
        con.execute(FLIGHTS)
        yield con


@pytest.fixture(scope="module")
def refusing() -> Iterator[Connection]:
    """A connection with flights, a table made of them, and a view."""
    with connect(duckdb.connect()) as con:
        con.execute(FLIGHTS)
        con.sql("create table made as from flights", lineage=True)
        con.execute("create view seen as select 1")
        yield con


@pytest.mark.parametrize("seed", range(2))
def test_random_programs_keep_the_lineage_of_their_rows(seed: int, tmp_path: Path) -> None:
    Program(seed, tmp_path).run()


@pytest.mark.long
@pytest.mark.parametrize("start", range(100, 600, 50))
def test_500_random_programs_keep_the_lineage_of_their_rows(start: int, tmp_path: Path) -> None:
    programs = [Program(seed, tmp_path) for seed in range(start, start + 50)]
    for program in programs:
        program.run()
    assert sum(program.rows for program in programs) > 50


def rids(con: Connection, query: str, table: str, rows: Sequence[int] | None = None) -> list[int]:
    """Return the rids of a table's records behind the given rows of a query."""
    found: list[int] = con.sql(query, lineage=True).backward(table, rows).rids.tolist()
    return found


def test_a_query_follows_a_made_table_and_a_made_file(con: Connection, tmp_path: Path) -> None:
    made = con.sql("create table late as select carrier, avg(delay) d from flights group by 1",
                   lineage=True)  # fmt: skip
    assert made.to_arrow().equals(con.duckdb.sql("from late").to_arrow_table())
    result = con.sql("select d from late where carrier = 'c1'", lineage=True)
    assert (result.references, result.behind) == (["late"], ["flights"])
    assert result.backward("flights").to_arrow()["id"].to_pylist() == [1, 4, 7]
    assert result.forward("flights", [4, 5]).tolist() == [0]
    path = tmp_path / "late.parquet"
    con.sql(f"copy (from late order by carrier desc) to '{path}'", lineage=True)
    assert rids(con, f"select * from '{path}'", "flights", [0]) == [2, 5, 8]
    con.register("again", path)
    con.execute("drop table late")  # the way back leads through it all the same
    result = con.sql("select * from again", lineage=True)
    assert result.behind == ["late", "flights"]
    assert result.backward("flights", [2]).rids.tolist() == [0, 3, 6]
    con.execute(f"copy (select 'c0' as carrier, 1.5 as d) to '{path}'")
    assert con.sql(f"select * from '{path}'", lineage=True).behind == []


FILES = (
    ("semicolons.csv", " (header, delimiter ';')"),
    ("late.json", ""),
    pytest.param("late.csv", "", marks=pytest.mark.long),
    pytest.param("late.csv.gz", "", marks=pytest.mark.long),
    pytest.param("late.jsonl", " (format json)", marks=pytest.mark.long),
)
ODD = """
    select id, case id % 5 when 0 then '' when 1 then null when 2 then 'x"y,\n' || id
        when 3 then '007' else '7' end as text, (id / 4)::decimal(9, 2) as price,
        date '2024-01-05' + id::int as day,
        [id, null] as list, delay / 3.0::double as part
    from flights order by id desc"""


@pytest.mark.parametrize(("name", "options"), FILES)
def test_a_query_follows_a_file_of_text(
    con: Connection, tmp_path: Path, name: str, options: str
) -> None:
    path = tmp_path / name
    con.sql(f"copy ({ODD}) to '{path}'{options}", lineage=True)
    function = "read_json" if "json" in name else "read_csv"
    for source in (f"'{path}'", f"{function}('{path}')"):
        result = con.sql(f"select id from {source}", lineage=True)
        assert result.behind == ["flights"]
        for row, number in enumerate(result.to_arrow()["id"].to_pylist()):
            found = result.backward("flights", [row]).to_arrow()["id"].to_pylist()
            assert found == [number]
    con.register("again", path)
    assert con.sql("from again", lineage=True).behind == ["flights"]


def test_a_file_of_text_is_not_followed_when_its_records_may_be_others(
    con: Connection, tmp_path: Path
) -> None:
    """A record read as two, and another skipped, give the same number of rows."""
    path = tmp_path / "late.csv"
    names = "select if(id = 8, 'x\n', '') || id as name from flights order by id"
    con.sql(f"copy ({names}) to '{path}'", lineage=True)
    assert rids(con, f"from '{path}'", "flights", [3]) == [3]
    lines = "auto_detect = false, skip = 2, quote = '', columns = {'name': 'VARCHAR'}"
    shifted = con.sql(f"from read_csv('{path}', {lines})", lineage=True)
    assert shifted.to_arrow().column(0).to_pylist()[:2] == ["1", "2"]
    assert (len(shifted), shifted.behind) == (9, [])
    alike = "select carrier as c0, carrier as c1 from flights where id % 3 = 0"
    numbers = """select '1' as "1", '2' as "2" from flights"""
    con.sql(f"copy ({alike}) to '{path}'", lineage=True)
    with pytest.raises(NotCovered, match="detects another format") as error:
        con.sql(f"copy ({numbers}) to '{path}'", lineage=True)
    assert "The file is written" in str(error.value)
    assert con.sql(f"from '{path}'", lineage=True).behind == []


def test_an_insert_has_the_lineage_of_its_own_rows_only(con: Connection) -> None:
    con.execute("create table t(z int default 7, a bigint, c varchar, g int as (a + 1))")
    con.sql("insert into t(c, a) select carrier, id from flights where id > 6", lineage=True)
    con.sql("insert into t by name select 1 as z, id as a from flights where id = 2", lineage=True)
    assert con.duckdb.sql("from t").fetchall()[1:] == [(7, 8, "c2", 9), (1, 2, None, 3)]
    result = con.sql("from t", lineage=True)
    assert [result.backward("flights", [row]).rids.tolist() for row in range(3)] == [[7], [8], [2]]
    assert [result.forward("flights", [rid]).tolist() for rid in (2, 3, 8)] == [[2], [], [1]]
    con.execute("insert into t(a) values (5)")
    assert rids(con, "from t where a <> 5", "flights") == [2, 7, 8]
    with pytest.raises(UsageError, match="1 records of t is unknown"):
        rids(con, "from t", "flights")


@pytest.mark.long
def test_a_table_may_be_replaced_by_a_query_over_it(con: Connection) -> None:
    """The statements do what a nightly job does with a balance."""
    con.sql("create table sums as select carrier, sum(id) n from flights group by 1", lineage=True)
    for night in (1, 2):
        con.execute(f"create table new{night} as select 'c1' as carrier, {night} as n")
        union = f"(from sums union all from new{night})"
        text = f"select carrier, sum(n) n from {union} group by 1 order by 1"
        made = con.sql(f"create or replace table sums as {text}", lineage=True)
        with pytest.raises(UsageError, match="Run the query again"):
            made.backward("sums")
    result = con.sql("from sums", lineage=True)
    assert result.to_arrow()["n"].to_pylist() == [9, 15, 15]
    assert result.behind == ["sums", "new2", "new1", "flights"]
    assert result.backward("sums", [1]).rids.tolist() == [1]
    assert result.backward("new1", [1]).rids.tolist() == [0]
    assert result.backward("new1", [2]).rids.tolist() == []
    assert result.backward("flights", [1]).rids.tolist() == [1, 4, 7]
    assert result.forward("flights", [4, 5]).tolist() == [1, 2]


@pytest.mark.parametrize(
    "change",
    [
        "update late set n = n + 1",
        pytest.param("delete from late where false", marks=pytest.mark.long),
        "create or replace table late as select * from late",
        "drop table late; create table late as select 'c0' as carrier, 3 as n",
        pytest.param("alter table late add column x int", marks=pytest.mark.long),
        "insert into late values ('c0', 4) on conflict do update set n = 9",
        "checkpoint",
        pytest.param("pragma version", marks=pytest.mark.long),
    ],
)
def test_lineage_ends_with_a_change_of_the_made_table(con: Connection, change: str) -> None:
    con.sql("create table late as select carrier, count(*) n from flights group by 1", lineage=True)
    con.execute("create unique index i on late(carrier); insert into flights values (9, 'c0', 0)")
    assert len(rids(con, "from late", "flights")) == 9
    con.execute(change)
    result = con.sql("from late", lineage=True)
    assert result.behind == []
    with pytest.raises(UsageError, match="no table named 'flights'"):
        result.backward("flights")


@pytest.mark.parametrize(
    "change", ["update flights set id = 0", "delete from flights where id = 3", FLIGHTS]
)
def test_records_that_changed_are_not_shown(con: Connection, change: str) -> None:
    con.sql("create table late as select carrier from flights where id = 2", lineage=True)
    con.execute(change.replace("create table", "create or replace table"))
    result = con.sql("from late", lineage=True)
    with pytest.raises(UsageError, match="flights behind late can no longer be read"):
        result.backward("flights")
    joined = con.sql("select * from late join flights using (carrier)", lineage=True)
    if "create" in change:  # the query reads the table that replaced the other one
        assert joined.backward("flights").rids.size == 3
    else:
        with pytest.raises(UsageError, match="can no longer be read"):
            joined.backward("flights")


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("create table if not exists t as from flights", "IF NOT EXISTS"),
        ("create table t as from flights with no data", "WITH NO"),
        ("create view t as from flights", "VIEW in CREATE"),
        ("create table t as select random() r from flights", "random"),
        ("create table t as from flights; drop table flights", "several statements"),
        ("insert into made from made", "INSERT into a table that its query reads"),
        ("insert into flights select id, carrier, delay from made", "itself or through others"),
        ("insert into made(id) values (1)", "VALUES"),
        ("insert into made default values", "DEFAULT"),
        ("insert or ignore into made from flights", "OR in INSERT"),
        ("insert into made from flights on conflict do nothing", "ON CONFLICT"),
        ("insert into made from flights returning id", "RETURNING"),
        ("insert into made as m from flights", "AS in INSERT"),
        ("insert into seen select 1", "INSERT into what is no table"),
        ("copy flights to 'x.tsv'", "another format than Parquet, CSV and JSON"),
        ("copy flights to 'x.parquet' (format arrow)", "another format than Parquet"),
        ("copy flights to 'x.csv' (header false)", "COPY without a header"),
        ("copy flights to 'x.csv' (nullstr '-')", "NULLSTR in COPY"),
        ("copy flights to 'x' (partition_by (id), format parquet)", "PARTITION_BY"),
        ("copy flights to 's3://x.parquet'", "no path of one local file"),
        ("copy flights from 'x.parquet'", "FROM in COPY"),
    ],
)
def test_what_is_not_followed_is_refused_by_name_and_stores_nothing(
    refusing: Connection, statement: str, what: str
) -> None:
    tables = refusing.duckdb.sql("select table_oid, estimated_size from duckdb_tables()")
    before = tables.fetchall()
    with pytest.raises(NotCovered, match=what):
        refusing.sql(statement, lineage=True)
    assert tables.fetchall() == before


def test_errors_of_duckdb_and_transactions_leave_no_lineage(con: Connection) -> None:
    for text in ("create table flights as select 1", "insert into flights select 1", "copy nix to"):
        with pytest.raises((duckdb.Error, NotCovered)):
            con.sql(text, lineage=True)
    with pytest.raises(duckdb.ConversionException, match="LINE 1: create table t as"):
        con.sql("create table t as select carrier::int from flights", lineage=True)
    with pytest.raises(UsageError, match="neither a mode"):
        con.sql("create table t as from flights", lineage=True, mode="defer")
    con.execute("begin")
    with pytest.raises(UsageError, match="inside a transaction"):
        con.sql("create table t as from flights", lineage=True)
    con.execute("create table t as from flights; rollback")
    con.sql("create temp table t as from flights where id = ?", params=[4], lineage=True)
    con.execute("create table main.t as select 1")
    assert rids(con, "from t", "flights") == [4]
    con.sql("create or replace table main.t as from flights where id > 6", lineage=True)
    assert rids(con, "from memory.main.t", "flights") == [7, 8]


def test_stored_rows_are_found_in_another_order(con: Connection) -> None:
    duck = con.duckdb
    values = "(values ('a'), ('A'), (null)) v(s)"
    query = f"select carrier, s, sum(delay) d from flights, {values} group by 1, 2"
    duck.execute("create table t(k varchar collate nocase, s varchar collate nocase, d double)")
    duck.execute(f"insert into t select * from ({query}) order by d, hash(carrier, s)")
    expected = duck.sql("select k, s, d from t").fetchall()
    plan = con.plan(query)
    names = ", ".join(f"c{at}" for at in range(plan.width))
    duck.execute(f"create temp table {QUERY}({names}) as {plan.sql}")
    rows = duck.sql(f"select c0, c1, c2 from {QUERY} order by rowid").fetchall()
    for change in ("d", "d + 1e-9"):  # as another order of a sum may
        duck.execute(f"update t set d = {change}")
        order = order_of(duck, plan, StoredRows("t", ["k", "s", "d"]))
        assert order is not None
        assert [rows[at] for at in order] == expected
    duck.execute("update t set s = 'b'")
    with pytest.raises(NotCovered, match="cannot be found"):
        order_of(duck, plan, StoredRows("t", ["k", "s", "d"]))
