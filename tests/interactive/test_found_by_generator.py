"""Faults that generated SQL has found, each with the right records."""

import duckdb
import pytest

from provhouse.interactive import Connection, connect
from provhouse.interactive.refusal import NotCovered

SCHEMA = """
    create schema s2;
    create table t(k varchar collate nocase, v int);
    insert into t values ('A', 1), ('a', 2), ('b', null);
    create table u(k varchar, v int);
    insert into u values ('a', 1), ('c', 2);
    create table s2.t(v int);
    insert into s2.t values (7);
    create macro addone(x) as x + 1
"""


@pytest.fixture
def con() -> Connection:
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
        ('select distinct v "__h0" from u order by 1', "u", [[0], [1]]),
        ("with q as materialized (select * from t) select k from u", "u", [[0], [1]]),
        ("select lag(v ignore nulls) over (order by k) x from u", "u", [[0, 1], [0, 1]]),
        ("select main.addone(v) from u", "u", [[0], [1]]),
        ("select 'é' from (values (1, 'é')) w(a, b), u", "u", [[0], [1]]),
        ("select 'x', count(*) from u group by all", "u", [[0, 1]]),
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
    assert con.sql("select * from t", lineage=True).columns[0] == column


def test_names_of_hidden_columns_are_refused(con: Connection) -> None:
    with pytest.raises(NotCovered, match="keeps for itself"):
        con.sql("select v __provhouse_h0 from u", lineage=True)
