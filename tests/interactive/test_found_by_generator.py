"""Bugs that generated SQL once revealed. Each query must now return the right records."""

import re

import duckdb
import pytest

from provhouse.interactive import Connection, connect
from provhouse.sql.not_covered import NotCovered

SCHEMA = """
    create schema s2;
    create table t(k varchar collate nocase, v int);
    insert into t values ('A', 1), ('a', 2), ('b', null);
    create table u(k varchar, v int);
    insert into u values ('a', 1), ('c', 2);
    create table s2.t(v int);
    insert into s2.t values (7);
    create table bits(b bit, v int);
    create macro addone(x) as x + 1;
    create view nested as select a.v from
        (u a left join ((select * from t) b join s2.t c on b.v < c.v) on a.v = b.v)
"""
Case = tuple[str, str, list[list[int]]]
JOINED = "u join t on u.v = t.v"
PIVOTS: list[Case] = [
    (f"pivot (select u.k a, u.v b from {JOINED}) on b using count(*) order by 1", "t", [[0], [1]]),
    (f"from (pivot (select u.k a, t.v b from {JOINED}) on b in (2) using max(b)) order by 1",
     "t", [[0], [1]]),
    (f"unpivot (select u.k a, u.v b, t.v c from {JOINED}) on b, c order by a, name",
     "t", [[0], [0], [1], [1]]),
    ("pivot u on v using count(*) order by k desc limit 1", "u", [[1]]),
    ("with q as (from u) pivot q on v in (1, 2) using count(*) group by k order by k offset 1",
     "u", [[1]]),
    ("unpivot u on v order by 1 desc limit 1", "u", [[1]]),
    ("select * from (select k, v from u) unpivot (w for n in (v)) order by 1 limit 1", "u", [[0]]),
    ("pivot (from t where v is null) on v using count(*)", "t", [[2]]),
    ("pivot (from u where v > 9) on v using count(*)", "u", []),
]  # fmt: skip
PARENTHESES: list[Case] = [
    ("(select k from u order by 1) limit 1", "u", [[0]]),
    ("(select k from u) order by v desc limit 1", "u", [[1]]),
    ("(select k from u order by 1 limit 2) order by 1 desc limit 1", "u", [[1]]),
    ("((select k from u) limit 1) union all (select k from u where v > 1)", "u#1", [[0], []]),
    ("(select distinct on (v) k from u order by v, v + 1) order by 1 desc", "u", [[1], [0]]),
    ("select ((select v from u order by 1) limit 1) x from s2.t", "u", [[0]]),
]
COLUMNS: list[Case] = [
    ("select max(columns(*)) from u", "u", [[0, 1]]),
    ("select columns('^v') + 1 from u", "u", [[0], [1]]),
    ("select columns(* exclude (k)) x from u order by 1 desc", "u", [[1], [0]]),
    ("select columns(lambda c: c > 'k') from u order by all desc", "u", [[1], [0]]),
    ("select k from (select columns(q.*) from u q, s2.t) order by 1", "u", [[0], [1]]),
    ("select columns(*) from u join t using (v) order by 1", "t", [[0], [1]]),
]
NAMES: list[Case] = [
    ("select * from (select k, count(*) from u group by k) q order by 1", "u", [[0], [1]]),
    ('select "count_star()" from (select count(*) from u) q', "u", [[0, 1]]),
    ("with q as (select max(v), upper(max(k)) from u) from q", "u", [[0, 1]]),
    ("select {'K k': v, 'v': k} s from u order by 1", "u", [[0], [1]]),
    ("select q.d.\"K k\" from (select {'K k': v} d from u) q order by 1", "u", [[0], [1]]),
    ('select q from (select v "V v" from u) q order by 1', "u", [[0], [1]]),
    ('select q from u q("A a", b) order by 1', "u", [[0], [1]]),
]
KEYS: list[Case] = [
    ("select k, k x, count(*) from u group by all order by 1", "u", [[0], [1]]),
    ("select k, count(*) from u group by all having v > 1", "u", [[1]]),
    ("select v + 1 w, sum(v) from u group by all having first(v) >= v order by 1",
     "u", [[0], [1]]),
    ("select (select v from t where t.v = u.v order by all limit 1) x from u order by 1",
     "t", [[0], [1]]),
]  # fmt: skip
CALLS: list[Case] = [
    ("select count(*) c from t where not exists (select k from u where v < 'nan'::double * 2)",
     "t", [[]]),
    ("select k, k l, ('nan'::double * 2)::varchar n from u group by all order by 1",
     "u", [[0], [1]]),
    ("select nullif((select min(v) from u), 2) c from s2.t", "u#1", [[0, 1]]),
    ("select nullif(v, (select max(v) from u)) c from u order by 1", "u#1", [[0, 1], [0, 1]]),
    ("with q(\"K k\") as (select v from u) select to_json(q)::varchar c from q order by 1",
     "u", [[0], [1]]),
]  # fmt: skip
TIES: list[Case] = [
    ("select (select a.v from u b join u c on b.v = c.v order by 1 limit 1) x from u a order by 1",
     "u#1", [[0, 1], [0, 1]]),
    ("select (select a.v + b.v from u b order by all desc limit 1) x from u a order by 1",
     "u#1", [[1], [1]]),
]  # fmt: skip
CHOICES: list[Case] = [
    ("select (select distinct on (a.v) b.v from t b order by b.v desc nulls last) x "
     "from u a order by a.v", "t", [[1], [1]]),
    ("select k from u a where 2 in (select distinct on (a.v) b.v from u b order by b.k desc) "
     "order by 1", "u#2", [[1], [1]]),
    ("select k, (select distinct on (b.k) b.v from t b where b.v <= a.v order by b.k, b.v desc) x "
     "from u a order by 1", "t", [[0], [1]]),
    ("select v, (select distinct on (a.v) 1 from t b where b.v > 0 order by b.k) x "
     "from u a order by 1", "t", [[0, 1], [0, 1]]),
    ("select v, exists (select distinct on (b.v) b.v z from u b where b.v <= a.v "
     "order by z limit 1) x from u a order by 1", "u#1", [[0], [0, 1]]),
    ("select (select b.v from t b where b.v <= a.v + 5 "
     "qualify row_number() over (order by b.v desc) > 1 order by b.v desc limit 1) x "
     "from u a order by a.v", "t", [[0, 1], [0, 1]]),
    ("select * replace ((select v from s2.t) as v) from u order by 2, 1", "u", [[0], [1]]),
]  # fmt: skip
JOINS: list[Case] = [
    ("select min(a.k) over (order by b.v) m from u a natural join u b order by b.v",
     "u#1", [[0, 1], [0, 1]]),
    ("select v from s2.t a where v > (select min(c.v) from u b natural join u c where b.v < a.v)",
     "u#2", [[0, 1]]),
    ("select c.v from s2.t a, u b natural join u c order by 1", "u#2", [[0], [1]]),
    ("select c.v from s2.t a, u b join u c using (v) order by 1", "u#2", [[0], [1]]),
    ("select * from s2.t a, u b join u c using (v) order by all", "u#2", [[0], [1]]),
    ("select q.z from u, (select n.v z from nested n where n.v = u.v) q order by 1",
     "u#1", [[0], [1]]),
    ("select k from u x semi join t e(a, b) on x.v = e.b order by 1", "t", [[0], [1]]),
    ("select k from u x anti join s2.t e(a) on x.v = e.a order by 1", "t", [[], []]),
]  # fmt: skip


@pytest.fixture(scope="module")
def con() -> Connection:
    """A database that no test changes."""
    plain = duckdb.connect(config={"threads": 1})
    plain.execute(SCHEMA)
    return connect(plain)


@pytest.mark.parametrize(
    ("sql", "table", "right"),
    [
        ("select k from t union select k from u order by 1", "u", [[0], [], [1]]),
        (
            "select v::varchar c from t union select k from u order by 1",
            "u",
            [[], [], [0], [1], []],
        ),
        ("select v from t union select k from u order by 1", "t", [[0], [1], [], [], [2]]),
        (
            "with q as (select * from t) select v from q union select k from u order by 1",
            "t",
            [[0], [1], [], [], [2]],
        ),
        (
            "select a.k, q.z from u a, lateral (select a.v + b.v z from t b where b.v = a.v union "
            "select c.k from u c where c.k = a.k) q order by 1, 2",
            "t",
            [[0], [], [1], []],
        ),
        (
            "select k, (select count(*) from (select v from t where v = u.v union select u.k) q) c "
            "from u order by 1",
            "t",
            [[0], [1]],
        ),
        ('select distinct v "__h0" from u order by 1', "u", [[0], [1]]),
        ("with q as materialized (select * from t) select k from u", "u", [[0], [1]]),
        ("select lag(v ignore nulls) over (order by k) x from u", "u", [[0, 1], [0, 1]]),
        ("select main.addone(v) from u", "u", [[0], [1]]),
        ("select 'é' from (values (1, 'é')) w(a, b), u", "u", [[0], [1]]),
        ("select 'x', count(*) from u group by all", "u", [[0, 1]]),
        *PIVOTS,
        *PARENTHESES,
        *COLUMNS,
        *NAMES,
        *KEYS,
        *CALLS,
        *TIES,
        *CHOICES,
        *JOINS,
    ],
)
def test_records(con: Connection, sql: str, table: str, right: list[list[int]]) -> None:
    result = con.sql(sql, lineage=True)
    assert result.to_arrow().to_pylist() == con.duckdb.sql(sql).to_arrow_table().to_pylist()
    assert [result.backward(table, [row]).rids.tolist() for row in range(len(result))] == right


@pytest.mark.parametrize(("path", "column"), [("main,s2", "k"), ("s2,main", "v")])
def test_schemas_of_a_search_path_are_taken_in_its_order(
    con: Connection, path: str, column: str
) -> None:
    con.execute(f"set search_path = '{path}'")
    try:
        assert con.sql("select * from t", lineage=True).columns[0] == column
    finally:
        con.execute("reset search_path")


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("select v from bits where b > '101'::bit", "DuckDB writes no plan of it"),
        ("select v from t where t.v in (select t.v from u group by rollup(t.v))",
         "grouping sets by v, a column of an outer query"),
        ("select (select max(v) from u group by cube((t.v + 1), k) limit 1) x from t",
         "grouping sets by v, a column of an outer query"),
        (f"select {2**100} x, count(*) from u group by {2**100}", f"the key {2**100}"),
    ],
)  # fmt: skip
def test_what_duckdb_or_sqlglot_cannot_read_is_refused(con: Connection, sql: str, why: str) -> None:
    with pytest.raises(NotCovered, match=re.escape(why)):
        con.sql(sql, lineage=True)


def test_names_of_hidden_columns_are_refused(con: Connection) -> None:
    with pytest.raises(NotCovered, match="that provhouse reserves"):
        con.sql("select v __provhouse_h0 from u", lineage=True)
