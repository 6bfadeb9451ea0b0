"""DuckDB decides the meaning of names, macros, functions and row values; lineage follows DuckDB."""

from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
import pytest

from helpers.interactive_oracle import check
from helpers.sampled import one_in
from provhouse.interactive import Connection, connect
from provhouse.sql.not_covered import NotCovered


@contextmanager
def made() -> Iterator[Connection]:
    """A few tables whose names and values are easily mistaken for other names and values."""
    with connect(duckdb.connect()) as con:
        con.execute(
            "create table t(k varchar, v int);"
            "insert into t values ('a', 1), ('a', 2), ('b', 3), (null, 4)"
        )
        con.execute("create table u(k varchar, w int); insert into u values ('a',7),('c',8)")
        con.execute("create schema s; create table s.t(k varchar, v int)")
        con.execute("insert into s.t values ('s', 9)")
        con.execute("create schema s2; create table s2.lone(x int); insert into s2.lone values (5)")
        con.execute("create macro win(x) as row_number() over (order by x desc)")
        con.execute("create macro rnd() as random(); create macro twice(x) as sum(x) * 2")
        con.execute("create macro most() as (select max(w) from u)")
        con.execute("create macro above(x) as table select * from t where v > x")
        con.execute("create macro outer_(x) as twice(x) + most()")
        con.execute("create view v1 as select k, v from t")
        con.execute("create view v2 as select v1.k, u.w from v1 left join u using (k)")
        con.execute("create view v3(p, q) as select * from v2 where w is not null")
        con.execute(
            "create view v4 as select * from (v2 join (select 1 one) o on true) join v1 using (k)"
        )
        yield con


@pytest.fixture(scope="module")
def con() -> Iterator[Connection]:
    """The tables, for tests that leave them unchanged."""
    with made() as con:
        yield con


@pytest.fixture
def changed() -> Iterator[Connection]:
    """The tables, for a test that changes them."""
    with made() as con:
        yield con


WITNESSED = [
    "select v, win(v) n from t",
    "select k, twice(v) from t group by k",
    "select k, outer_(v) from t group by k",
    "select v + most() from t",
    "select * from above(1)",
    "select a.k, b.v from above(1) a join above(2) b on a.k = b.k",
    "select * from v2",
    "select * from v3",
    "select * from v4",
    "select k, count(*) from v4 group by k",
    "select * from t a left join (v2 b join u c using (k)) on a.k = b.k",
    "select * from (t a join u b using (k)) join t c on c.k = a.k",
    "select k, count(*) from t full join u using (k) full join v1 using (k) group by k",
    "select mean(v), kurtosis_pop(v), sem(v), geomean(v), wavg(v, v), mad(v) from t",
    "select k, list(v order by v), string_agg(k, ',' order by v) from t group by k",
    "select arg_max(k, v), any_value(k) filter (where v > 1) from t",
    "select len(k), log2(v), v ^ 2, v ** 2, mod(v, 2), '{\"a\": 1}' -> 'a' from t",
    "select q from (select k, count(*) n from t group by k) q",
    "select to_json(q), q::varchar, typeof(q) from (select k, count(*) n from t group by k) q",
    "select list(q order by n) from (select k, count(*) n from t group by k) q group by q.n",
    "with c as (select distinct k from t) select c, x from c, (values (1, 2)) x(i, j)",
    "select (select p) from t p",
    "select count(t), k from t group by k",
    "select * exclude (v) replace (upper(k) as k) from t",
    "select t.* rename (k as key) from t",
    "select * from main.t x, s.t y where x.v < y.v",
    "with t as (select 1 k) select * from t",
    "with unused as (select * from u) select k from t",
]


@pytest.mark.parametrize("sql", one_in(3, WITNESSED))
def test_rows_come_back_from_their_witnesses(con: Connection, sql: str) -> None:
    checked = check(con, sql)
    assert checked.rows
    assert checked.wrong == []


def test_a_window_in_a_macro_has_its_whole_partition(con: Connection) -> None:
    result = con.sql("select v, win(v) n from t", lineage=True)
    assert result.backward("t", [0]).rids.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "sql", ["select rnd() from t", "select now() from t", "select v, alias(k) from t"]
)
def test_values_that_change_are_refused_in_macros_too(con: Connection, sql: str) -> None:
    with pytest.raises(NotCovered, match=r"random\(\)|now\(\)|alias"):
        con.sql(sql, lineage=True)


@pytest.mark.parametrize("path", ["s,main", "s2,main", "main,s2,s", "s"])
@pytest.mark.parametrize("name", ["t", "lone"])
def test_a_name_means_the_table_that_duckdb_finds(con: Connection, path: str, name: str) -> None:
    con.execute(f"set search_path = '{path}'")
    sql = f"select * from {name}"
    try:
        expected = con.duckdb.sql(sql).to_arrow_table()
        result = con.sql(sql, lineage=True)
        assert result.to_arrow().equals(expected)
        assert result.backward(name).to_arrow().equals(expected)
    except duckdb.CatalogException:
        with pytest.raises(duckdb.CatalogException):
            con.duckdb.sql(sql)
        with pytest.raises(duckdb.CatalogException):
            con.sql(sql, lineage=True)
    finally:
        con.execute("reset search_path")


def test_row_numbers_in_the_text_are_those_of_the_records(changed: Connection) -> None:
    changed.execute("delete from t where v = 1")
    result = changed.sql("select rowid, t.rowid + 1 n, * from t where rowid > 1", lineage=True)
    assert result.columns == ["rowid", "n", "k", "v"]
    for row, values in enumerate(result.to_arrow().to_pylist()):
        assert result.backward("t", [row]).rids.tolist() == [values["rowid"]] == [values["n"] - 1]
    grouped = changed.sql("select rowid r, sum(v) from t group by rowid order by r", lineage=True)
    assert [grouped.backward("t", [at]).rids.tolist() for at in range(3)] == [[1], [2], [3]]


def test_a_table_with_a_column_rowid_is_refused(changed: Connection) -> None:
    changed.execute("create table r(rowid varchar, k varchar); insert into r values ('x', 'y')")
    for sql in ("select k from r", "select * from r", "select rowid from r"):
        with pytest.raises(NotCovered, match="a column rowid"):
            changed.sql(sql, lineage=True)


def test_a_macro_that_hides_a_built_in_function_is_unfolded(changed: Connection) -> None:
    changed.execute("create macro upper(x) as (select max(w) from u)")
    sql = "select upper(k) from t"
    assert check(changed, sql).wrong == []
    assert changed.sql(sql, lineage=True).backward("u", [0]).rids.size == 2


def test_errors_name_the_construct_and_no_hidden_column(con: Connection) -> None:
    for sql in (
        "select random() from t",
        "select v from t, (select k from u) x where x.k = alias(t.k)",
    ):
        with pytest.raises(NotCovered) as refused:
            con.sql(sql, lineage=True)
        assert "line 1" in str(refused.value)
        assert "__" not in str(refused.value)


COLLATED = [
    "select k from t union select k from u",
    "select k from t where v <> 2 intersect select k from u",
    "select k from u intersect select k from t",
    "select k, count(*) from t group by k",
    "select distinct k from t",
    "select k, v from t where k in (select k from u)",
    "select k from u where k in (select k from t)",
    "select k, (select sum(w) from u where u.k = t.k) from t",
    "select * from t where exists (select 1 from u where u.k = t.k)",
    "select k, sum(v) over (partition by k) from t",
    "select k from u where w > any (select v from t where t.k = u.k)",
    "select * from (select k from t union select k from u) x join u on x.k = u.k",
    "select * from (select k from t order by v limit 2) x where k in (select k from u)",
]


@pytest.fixture(scope="module")
def collated() -> Iterator[Connection]:
    # With more threads, DuckDB may take either of two texts that are equal.
    with connect(duckdb.connect(config={"threads": 1})) as con:
        con.execute("create table t(k varchar collate nocase, v int)")
        con.execute("insert into t values ('A', 1), ('a', 2), ('b', 3)")
        con.execute("create table u(k varchar, w int)")
        con.execute("insert into u values ('a', 7), ('B', 8), ('c', 9)")
        yield con


@pytest.mark.parametrize("sql", one_in(3, COLLATED))
def test_texts_are_compared_by_their_collations(collated: Connection, sql: str) -> None:
    checked = check(collated, sql)
    assert checked.rows
    assert checked.wrong == []
    assert checked.necessary == checked.removed or "union" in sql
