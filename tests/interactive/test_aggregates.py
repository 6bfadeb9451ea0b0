"""All DuckDB aggregates, each with the first arguments that it accepts."""

from itertools import product

import duckdb
import pytest

from helpers.interactive_oracle import rows_of
from helpers.sampled import one_in
from provhouse.interactive import Connection, connect
from provhouse.model.errors import UsageError

ARGUMENTS = ["v", "x", "s", "b", "l", "bits", "m", "2", "0.5", "[1, 5, 9]"]
"""Columns of several types, and constants that some aggregates need."""
CALLS = {
    "lttb": "lttb(v, v, 2)",
    "variant_group_object": "variant_group_object(coalesce(s, ''), v::variant)",
}
NAMES = [
    name
    for (name,) in duckdb.connect()
    .execute(
        "select distinct function_name from duckdb_functions() where function_type = 'aggregate' "
        "and function_name <> 'combine_aggr' order by 1"
    )
    .fetchall()
]
"""The names of all aggregates except one, which expects aggregate states; these cannot be read."""


@pytest.fixture(scope="module")
def table() -> Connection:
    """A table with three groups and with a NULL in each column."""
    con = duckdb.connect()
    con.execute("""
        create table t as select i % 3 as k, i as v, i / 4 as x, 's' || i % 4 as s, i > 5 as b,
            [i, i + 1] as l, i::tinyint::bit as bits, map([i], [1]) as m from range(12) r(i)""")
    con.execute("insert into t(k) values (0)")
    return connect(con)


def call(con: duckdb.DuckDBPyConnection, name: str) -> str:
    """Return a call of the aggregate ``name`` that DuckDB runs."""
    if name in CALLS:
        return CALLS[name]
    for number in range(3):
        for given in product(ARGUMENTS, repeat=number):
            text = f"{name}({', '.join(given)})"
            for found in (text, f"{text} within group (order by v)"):
                try:
                    con.sql(f"select k, {found} from t group by k").fetchall()
                except duckdb.Error:
                    continue
                return found
    raise AssertionError(f"no arguments for {name}")


@pytest.mark.parametrize("name", one_in(6, NAMES))
def test_an_aggregate_has_all_rows_of_its_group(table: Connection, name: str) -> None:
    sql = f"select k, {call(table.duckdb, name)} as found from t group by k order by k"
    result = table.sql(sql, lineage=True)
    assert rows_of(result.to_arrow()) == rows_of(table.duckdb.sql(sql).to_arrow_table())
    rids = [result.backward("t", [row]).rids.tolist() for row in range(3)]
    assert rids == [[0, 3, 6, 9, 12], [1, 4, 7, 10], [2, 5, 8, 11]]


def test_states_of_aggregates_are_refused(table: Connection) -> None:
    sql = "select k, finalize(sum(v) export_state) from t group by k"
    table.duckdb.sql(sql)
    with pytest.raises(UsageError, match="cannot be parsed for lineage"):
        table.sql(sql, lineage=True)


def test_nothing_is_printed(table: Connection, capfd: pytest.CaptureFixture[str]) -> None:
    table.sql("select approx_top_k(v, 2) from t", lineage=True)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("call", ["count()", "count(*)"])
def test_counts_run_in_compiled_loops(table: Connection, call: str) -> None:
    sql = f"select k, {call} as n from t group by k order by k"
    result = table.sql(sql, lineage=True, mode="compiled")
    assert result.to_arrow().column("n").to_pylist() == [5, 4, 4]
    assert result.backward("t", [2]).rids.tolist() == [2, 5, 8, 11]


@pytest.mark.parametrize(
    ("macro", "call"),
    [
        ("spread(x) as max(x) - min(x)", "spread(v)"),
        ("of_few(x) as list(x order by x)[1]", "of_few(v)"),
    ],
)
def test_aggregates_in_macros(macro: str, call: str) -> None:
    con = duckdb.connect()
    con.execute("create table t as select i % 2 as k, i as v from range(6) r(i)")
    con.execute(f"create macro {macro}")
    sql = f"select k, {call} as found from t group by k order by k"
    opened = connect(con)
    result = opened.sql(sql, lineage=True)
    assert rows_of(result.to_arrow()) == rows_of(con.sql(sql).to_arrow_table())
    assert result.backward("t", [1]).rids.tolist() == [1, 3, 5]
