"""Random queries, mutants of them, and random rows, as an oracle for ``equivalence``."""

import random
from collections import Counter
from typing import Any

import duckdb

DDL = """create table t(a integer, b varchar, d decimal(10, 2));
    create table u(a integer, e varchar, k integer not null);"""
FROM = ("t", "t join u on t.a = u.a", "t left join u on t.a = u.a", "t semi join u on t.a = u.a")
CONDITIONS = ("t.a > 1", "t.a >= 2", "t.b = 'x'", "t.b <> 'x'", "t.d < 2.5", "t.b is null")
OUTPUTS = ("t.a", "t.b", "t.d", "t.a + 1", "coalesce(t.b, 'y')", "t.a * t.d")
AGGREGATES = ("count(*)", "count(t.b)", "sum(t.a)", "min(t.d)", "max(t.a)", "count(distinct t.a)")
SWAPS = (
    ("> 1", ">= 1"), (">= 2", "> 2"), ("= 'x'", "= 'X'"), ("<> 'x'", "= 'x'"), ("< 2.5", "<= 2.5"),
    ("is null", "is not null"), (" and ", " or "), ("left join", "join"), ("t join", "t left join"),
    ("semi join", "anti join"), ("t.a + 1", "t.a - 1"), ("'y'", "'z'"), ("t.a * t.d", "t.a + t.d"),
    ("count(*)", "count(t.a)"), ("sum(", "sum(distinct "), ("min(", "max("), ("max(", "min("),
    ("count(distinct ", "count("), ("select ", "select distinct "), ("union all", "union"),
    ("union all", "except all"), ("t.a = u.a", "t.a < u.a"), ("t.a = u.a", "t.a = u.k"),
    ("group by", "group by rollup"), ("order by 1", "order by 1 desc"), ("limit 2", "limit 3"),
    ("over ()", "over (partition by t.b)"), ("nulls last", "nulls first"),
)  # fmt: skip
"""Small edits of a query, most of which change its rows."""


def random_query(source: random.Random) -> str:
    """Return a query over the tables of ``DDL``."""
    text = _block(source)
    if source.random() < 0.2:
        return f"select t.a from t union all select t.a from ({text}) q(a, b), t"
    return text


def _block(source: random.Random) -> str:
    tail = f"from {source.choice(FROM)} where {_condition(source)}"
    first, second = source.sample(OUTPUTS, 2)
    kind = source.randrange(4)
    if kind == 0:
        return f"select ({first}), {source.choice(AGGREGATES)} {tail} group by ({first})"
    if kind == 1:
        return f"select {first}, {source.choice(AGGREGATES[:5])} over () {tail}"
    if kind == 2:
        return f"select {first}, {second} {tail} order by 1 nulls last, 2 nulls last limit 2"
    return f"select {first}, {second} {tail}"


def _condition(source: random.Random) -> str:
    return source.choice((" and ", " or ")).join(source.sample(CONDITIONS, 2))


def mutants(text: str) -> list[str]:
    """Return queries with one small edit each."""
    return [text.replace(old, new, 1) for old, new in SWAPS if old in text]


def fill(con: duckdb.DuckDBPyConnection, source: random.Random) -> None:
    """Replace the rows of both tables by a few random rows."""
    con.execute("delete from t; delete from u")
    for _ in range(source.choice((1, 3, 6, 10))):
        row = [source.choice((None, 0, 1, 2, 3)), source.choice((None, "x", "X", "y", "z"))]
        con.execute("insert into t values (?, ?, ?)", [*row, source.choice((None, 1, 2, 2.5, 3))])
    for _ in range(source.choice((0, 2, 5))):
        row = [source.choice((None, 0, 1, 2, 3)), source.choice((None, "x", "y"))]
        con.execute("insert into u values (?, ?, ?)", [*row, source.choice((0, 1, 2))])


def rows(con: duckdb.DuckDBPyConnection, text: str) -> Counter[tuple[Any, ...]]:
    """Return the rows of a query as a multiset."""
    return Counter(con.execute(text).fetchall())
