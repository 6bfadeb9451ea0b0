"""Databases that share one DuckDB instance are isolated from each other."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from provhouse.equivalence.empty_database import empty_database
from provhouse.equivalence.verdict import ComparedQuery, compare
from provhouse.model.errors import BadInput

TABLE = ("memory", "main", "t")


def _columns(ddl: str) -> list[tuple[str, str]]:
    with empty_database(ddl) as database:
        return database.columns[TABLE]


def test_two_databases_at_once_do_not_see_each_other() -> None:
    with empty_database("create table t(a integer)") as one:
        with empty_database("create table t(b varchar); create macro m(x) as x") as other:
            one.con.execute("insert into t values (1)")
            assert other.con.execute("from t").fetchall() == []
            assert other.columns[TABLE] == [("b", "VARCHAR")]
        with pytest.raises(BadInput):
            one.plan("select m(a) x from t")
        assert one.con.execute("from t").fetchall() == [(1,)]


@pytest.mark.parametrize(
    "ddl",
    ["create table t(a integer); create type kind as enum ('x'); create macro m(x) as x + 1",
     "create temp table t(a integer); create temp macro m(x) as x + 1",
     "create schema s; create table s.t(a integer); create sequence q; create view v as select 1"],
)  # fmt: skip
def test_nothing_remains_of_a_database(ddl: str) -> None:
    with empty_database(ddl):
        pass
    with empty_database("") as database:
        assert database.columns == {}
        for text in ("select m(1) x", "select 'x'::kind x", "from v", "from t", "from s.t"):
            with pytest.raises(BadInput):
                database.plan(text)


def test_settings_do_not_remain() -> None:
    text = "select a / 2 as x from t"
    ddl = "create table t(a integer)"
    with empty_database(f"set integer_division = true; {ddl}") as database:
        changed = database.plan(text)
    with empty_database(ddl) as database:
        assert database.plan(text).root != changed.root
        assert database.settings == ()
        with pytest.raises(BadInput):
            database.plan("set threads = 2")


def test_after_an_error_the_next_database_is_empty() -> None:
    for wrong in ("create table t(a integer); create table t(b integer)", "create table", "drop x"):
        with pytest.raises(BadInput):
            _columns(wrong)
    assert _columns("create table t(c date)") == [("c", "DATE")]


def test_files_cannot_be_read() -> None:
    with empty_database("") as database, pytest.raises(BadInput):
        database.plan("select * from read_text('/etc/hostname')")


def test_threads_compare_at_once() -> None:
    def verdict(at: int) -> str:
        ddl = f"create table t(a{at} integer, b integer)"
        one = ComparedQuery(f"select a{at} as x from t where b > 1 and a{at} > 2", ddl)
        return compare(
            one, ComparedQuery(f"select a{at} as x from t where b > 1 and a{at} >= 3", ddl)
        ).kind

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(verdict, range(12))) == {"equal"}
