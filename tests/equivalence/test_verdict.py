"""Verdicts: equal, different with example rows, or unknown with a reason."""

from collections import Counter
from dataclasses import replace
from typing import Any

import duckdb
import pytest

from helpers.sampled import one_in
from provhouse.equivalence.empty_database import empty_database
from provhouse.equivalence.keys import plan_keys
from provhouse.equivalence.plan_json import from_json, to_json
from provhouse.equivalence.verdict import ComparedQuery, Verdict, compare
from provhouse.model.errors import BadInput

DDL = """create table t(a integer, b varchar, c double, ts timestamp, l integer[]);
    create table u(a integer, b varchar, ts timestamp, id integer primary key);
    create table n(e varchar collate nocase);
    create macro twice(x) as x + x; create macro thrice(x) as x + x + x;"""
CHANGED = {
    "a macro": ("select twice(a) x from t", "select thrice(a) x from t"),
    "ORDER BY below LIMIT": (
        "select id, a from u order by id limit 2",
        "select id, a from u order by id desc limit 2",
    ),
    "NULLS FIRST": (
        "select a from u order by a nulls first limit 2",
        "select a from u order by a nulls last limit 2",
    ),
    "FILTER": ("select count(*) x from t", "select count(*) filter (where a > 1) x from t"),
    "DISTINCT": ("select count(a) x from t", "select count(distinct a) x from t"),
    "ROLLUP": ("select a from t group by a", "select a from t group by rollup(a)"),
    "GROUPING SETS": (
        "select a from t group by grouping sets ((a), ())",
        "select a from t group by grouping sets ((a), (a))",
    ),
    "repeated groups": (
        "select a + id x, id + a y from u group by grouping sets ((a + id), (id + a))",
        "select a + id x, a + id y from u group by grouping sets ((a + id), (a + id))",
    ),
    "a frame": (
        "select sum(a) over (order by id rows between 1 preceding and current row) x from u",
        "select sum(a) over (order by id rows between 2 preceding and current row) x from u",
    ),
    "USING": ("select id from t join u using (a)", "select id from t join u using (a, b)"),
    "NATURAL": ("select id from t natural join u", "select id from t join u using (a)"),
    "SEMI": ("select t.a from t semi join u using (a)", "select t.a from t join u using (a)"),
    "ANTI": ("select t.a from t semi join u using (a)", "select t.a from t anti join u using (a)"),
    "BY NAME": (
        "select a, id from u union all select id, a from u",
        "select a, id from u union all by name select id, a from u",
    ),
    "a self-join": (
        "select x.b from u x, u y where x.a = y.id",
        "select y.b from u x, u y where x.a = y.id",
    ),
    "TRY_CAST": ("select try_cast(b as int) x from t", "select length(b)::int x from t"),
    "names": ("select a from t", "select a as b from t"),
    "types": ("select a from t", "select a::bigint as a from t"),
    "the order of columns": ("select a, id from u", "select id, a from u"),
}
DOUBTFUL = {
    "a volatile function": "select random() x from t",
    "the clock": "select now() x from t",
    "a collation": "select e from n where e = 'x'",
    "an ASOF join": "select t.a from t asof join u on t.a = u.a and t.ts >= u.ts",
    "a positional join": "select t.a from t positional join u",
    "a sample": "select a from t tablesample 10%",
    "ties": "select b from u order by a limit 1",
    "a LIMIT without ORDER BY": "select a from t limit 1",
    "ROW_NUMBER": "select row_number() over (order by a) x from t",
    "DISTINCT ON": "select distinct on (a) a, b from t",
    "a sum of doubles": "select sum(c) x from t",
    "groups of doubles": "select c from t group by c",
    "any_value": "select any_value(a) x from t",
    "string_agg": "select string_agg(b, ',') x from t",
    "a row's number": "select rowid x from t",
    "a percentage": "select a from t order by a limit 10%",
    "a table function": "select * from range(3)",
    "recursion": "with recursive q as (select 1 x union all select x + 1 from q) from q",
    "a lambda": "select list_transform(l, lambda x: x + 1) x from t",
    "a time zone": "select b::timestamptz x from t",
}


def verdict(one: str, other: str, *columns: str, ddl: str = DDL) -> Verdict:
    return compare(ComparedQuery(one, ddl), ComparedQuery(other, ddl), columns)


@pytest.mark.parametrize(("one", "other"), CHANGED.values(), ids=CHANGED)
def test_a_changed_query_is_different(one: str, other: str) -> None:
    found = verdict(one, other)
    assert found.kind == "different", found
    if found.example:
        shown = Counter(found.example.only_first), Counter(found.example.only_second)
        assert _difference(one, other, found) == shown


def _difference(
    one: str, other: str, found: Verdict
) -> tuple[Counter[tuple[Any, ...]], Counter[tuple[Any, ...]]]:
    """Return the rows that only one of the queries gives, on tables with the example's rows."""
    assert found.example
    con = duckdb.connect()
    con.execute(DDL)
    for table, rows in found.example.tables.items():
        for row in rows:
            con.execute(f"insert into {table} values ({', '.join('?' * len(row))})", row)
    first, second = (Counter(con.execute(text).fetchall()) for text in (one, other))
    return first - second, second - first


@pytest.mark.parametrize("text", DOUBTFUL.values(), ids=DOUBTFUL)
def test_what_is_not_certain_is_neither_equal_nor_different(text: str) -> None:
    for other in (text, "select a as x from t"):
        found = verdict(text, other)
        assert (found.kind, bool(found.reason)) == ("unknown", True)


def test_a_reader_is_equal_in_the_columns_that_it_uses() -> None:
    texts = ("select a, b, a + 1 as c from t", "select a + 2 as c, b, a from t")
    assert verdict(*texts).kind == "different"
    assert verdict(*texts, "a", "b").kind == "equal columns"
    assert verdict(*texts, "a", "c").kind == "unknown"
    with pytest.raises(KeyError):
        verdict(*texts, "d")


def test_rows_count_for_every_reader() -> None:
    assert verdict("select a, b from t", "select a, b from t where a > 1", "a").kind == "unknown"


def test_an_order_of_the_result_counts() -> None:
    found = verdict("select a from t order by a", "select a from t order by a desc")
    assert (found.kind, found.operator) == ("unknown", "sort, operator 3 of 3")
    assert verdict("select a from t order by a", "select x.a from t x order by 1").kind == "equal"


def test_settings_and_types_of_tables_are_in_the_keys() -> None:
    text = "select a / 2 as x from t"
    other = ComparedQuery(text, "set integer_division = true;" + DDL)
    assert compare(ComparedQuery(text, DDL), other).kind == "unknown"
    wider = ComparedQuery(text, DDL.replace("t(a integer", "t(a bigint"))
    assert compare(ComparedQuery(text, DDL), wider).kind == "unknown"


def test_the_engine_is_in_every_key() -> None:
    with empty_database(DDL) as database:
        plan = database.plan("select a, b from t where a > 1")
    one, other = plan_keys(plan), plan_keys(replace(plan, version="0"))
    assert not {one.whole, one.rows, *one.operators} & {other.whole, other.rows, *other.operators}
    assert not {key for _, key in one.columns} & {key for _, key in other.columns}


@pytest.mark.parametrize("text", one_in(4, (each for pair in CHANGED.values() for each in pair)))
def test_a_plan_is_the_same_after_json(text: str) -> None:
    with empty_database(DDL) as database:
        plan = database.plan(text)
    assert from_json(to_json(plan)) == plan


@pytest.mark.parametrize(
    ("ddl", "text"),
    [
        ("copy (select 1) to 'f.csv'", "select 1"),
        ("install json", "select 1"),
        ("create table x as select * from read_csv('f.csv')", "select 1"),
        ("", "select * from read_csv('f.csv')"),
        ("", "select 1; select 2"),
        ("", "create table x(a integer)"),
        ("", "select missing"),
    ],
)
def test_files_extensions_and_other_statements_are_refused(ddl: str, text: str) -> None:
    with pytest.raises(BadInput):
        verdict(text, text, ddl=ddl)
