"""The plans of two queries are equal only if both queries compute the same rows."""

import random
import re

import duckdb
import pytest

from helpers import random_sql
from provhouse.interactive import connect
from provhouse.sql.bound import NotBound, bound
from provhouse.sql.parse import parse

SWAPS = (("k", "v"), ("k", "z"), ("id", "k"), ("k", "w"))


def swapped(sql: str, one: str, other: str) -> str:
    """Return the query with two of its columns swapped."""
    names = {one: other, other: one}
    return re.sub(rf"\b(t\d+)\.({one}|{other})\b", lambda at: f"{at[1]}.{names[at[2]]}", sql)


def rows(con: duckdb.DuckDBPyConnection, sql: str) -> list[str]:
    return sorted(map(str, con.execute(sql).fetchall()))


def compare(seeds: range) -> int:
    """Compare each random query with the same query in which two columns are swapped.

    If the plans are equal, the rows must be equal on several data sets. Return the number of
    queries with equal plans.
    """
    data = []
    for seed in range(4):
        con = duckdb.connect(config={"threads": 1})
        for statement in random_sql.statements(seed):
            con.execute(statement)
        data.append(con)
    same = 0
    for seed in seeds:
        sql = random_sql.Writer(seed).query()
        other = swapped(sql, *random.Random(seed).choice(SWAPS))
        try:
            first, second = bound(data[0], sql, other)
        except NotBound:
            continue
        if other == sql or not first.same(second, {}):
            continue
        same += 1
        for con in data:
            assert rows(con, sql) == rows(con, other), (sql, other)
    return same


@pytest.mark.long
def test_swapped_columns_are_another_plan() -> None:
    assert compare(range(2000, 2150))


@pytest.mark.long
def test_swapped_columns_of_many_queries_are_other_plans() -> None:
    assert compare(range(3000, 6000))


SAME = [
    (
        "select * from t natural join u",
        "select t.a, t.b, st, s, c from t join u on t.a = u.a and t.b = u.b",
    ),
    (
        "select sum(a), t.b from t join u using (a, b) group by t.b",
        "select sum(t.a), t.b from t join u on t.b = u.b and t.a = u.a group by t.b",
    ),
    ("select len(s) from t", "select length(s) from t"),
]
OTHER = [
    ("select b from t where a > 1", "select a from t where b > 1"),
    (
        "select t.a from t join u on t.b = u.b and t.a = u.a",
        "select t.b from t join u on t.a = u.a and t.b = u.b",
    ),
    (
        "select b, row_number() over (order by a) from t where st > 1",
        "select a, row_number() over (order by b) from t where st > 1",
    ),
    ("select sum(a), b from t group by b", "select sum(b), a from t group by a"),
    (
        "select a from t where exists (select 1 from u where u.b = t.b and u.a = t.st)",
        "select a from t where exists (select 1 from u where u.a = t.b and u.b = t.st)",
    ),
    (
        "select distinct on (a) b from t order by a, st",
        "select distinct on (b) a from t order by b, st",
    ),
    (
        "select t.a, u.c from t left join u on t.b > u.b or t.a = u.a",
        "select t.b, u.c from t left join u on t.a > u.a or t.b = u.b",
    ),
    (
        "select unnest([a, b]), st from t where b > 1",
        "select unnest([b, a]), st from t where a > 1",
    ),
    (
        "select a from t where a in (select c from u where b = 1)",
        "select a from t where a in (select b from u where c = 1)",
    ),
    ("select s from t where s = 'x'", "select s from t where s = 'x' collate nocase"),
    ("select len(s) from t", "select upper(s) from t"),
]


@pytest.mark.parametrize(
    ("one", "other", "same"), [(*each, True) for each in SAME] + [(*each, False) for each in OTHER]
)
def test_plans(one: str, other: str, same: bool) -> None:
    con = duckdb.connect()
    con.execute("create table t(a int, b int, st int, s text); create table u(a int, b int, c int)")
    first, second = bound(con, one, other)
    assert first.same(second, {"len": "length"}) == same


@pytest.mark.parametrize(
    ("sql", "certain"),
    [
        ("select a, l from named where a > 0 order by a limit 1", True),
        ("select a as x, sum(big) s from named group by a order by s", True),
        ("with q as (select a x from named) select x from q", True),
        ("select distinct a, a from named", True),
        ("select A, mixed from named", False),
        ("select mixed as a, sum(MIXED) from named group by all", False),
        ("select MIXED from (select mixed from named)", False),
        ("select * from named", False),
        ("select s.x, s.y, (a), a + 1 from named", False),
        ("select e as e, c as c from named", False),
        ('select a as "A b", a as "select" from named', False),
        ("select a from named union select 1", False),
        ("select X from (select a x from named)", False),
        ("select (select max(a) from named), a::varchar from named", False),
    ],
)
def test_columns_have_the_names_and_types_that_duckdb_gives(sql: str, certain: bool) -> None:
    con = connect()
    con.execute(
        'create table named(a int, "Mixed" double, s struct(x int, "Y" int), l bigint, '
        "big decimal(12, 3), e enum('a', 'b'), c varchar collate nocase)"
    )
    plan, relation = con.plan(sql), con.duckdb.sql(sql)
    assert (plan.names, plan.kinds) == (relation.columns, list(map(str, relation.types)))
    assert (parse(con.duckdb, sql, con.catalog()).outputs is not None) == certain


@pytest.mark.parametrize("value", ["inf", "-inf", "nan", "Infinity"])
@pytest.mark.parametrize("kind", ["double", "float"])
def test_plans_with_values_that_json_lacks_are_read(value: str, kind: str) -> None:
    con = duckdb.connect()
    texts = [f"select '{value}'::{kind} / {at} as v, 'inf, nan' as w" for at in (2, 3)]
    two, three = bound(con, *texts)
    assert two.same(bound(con, texts[0])[0], {})
    assert not two.same(three, {})
    assert connect(con).plan(texts[0]).names == ["v", "w"]
