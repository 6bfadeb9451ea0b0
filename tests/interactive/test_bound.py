"""Plans of two texts are the same only if the texts compute the same."""

import random
import re

import duckdb
import pytest

from helpers import random_sql
from provhouse.interactive.bound import NotBound, bound

SWAPS = (("k", "v"), ("k", "z"), ("id", "k"), ("k", "w"))


def swapped(sql: str, one: str, other: str) -> str:
    """Return a query in which two columns have changed places."""
    names = {one: other, other: one}
    return re.sub(rf"\b(t\d+)\.({one}|{other})\b", lambda at: f"{at[1]}.{names[at[2]]}", sql)


def rows(con: duckdb.DuckDBPyConnection, sql: str) -> list[str]:
    return sorted(map(str, con.execute(sql).fetchall()))


def compare(seeds: range) -> int:
    """Compare random queries with swapped ones on several data; return how many are the same."""
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


def test_swapped_columns_are_another_plan() -> None:
    assert compare(range(2000, 2300))


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
