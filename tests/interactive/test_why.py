"""Why- and how-provenance, checked by rerunning queries on parts and multiples of tables."""

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import duckdb
import pytest

from helpers.interactive_oracle import rows_of
from provhouse.interactive import Connection, connect
from provhouse.interactive.polynomial import RecordTerm
from provhouse.model.errors import UsageError
from provhouse.sql.not_covered import NotCovered

Number = Callable[[RecordTerm], int]
Row = tuple[Any, ...]
TABLES = {"t": "k, s, v", "u": "k, w"}
ROWS = [  # each row has a derivation of its own, and duplicates are kept
    "select k, v from t",
    "select v % 3, s from t where v > 1 or s is null",
    "select t.k, u.w from t join u on t.k = u.k",
    "select x.k from t x, t y where x.k = y.k and y.v > 2",
    "select x.s, y.s from t x join t y using (k) where x.v < 4",
    "select k from t union all select k from u",
    "select k from t union all (select w from u union all select v from t where v > 3)",
    "select q.k, u.w from (select k, v from t where v > 1) q join u on q.k = u.k",
    "with q as (select k from t where v > 1) select x.k from q x join q y on x.k = y.k",
    "select k, w from both_tables where w > 0",
    "select k, v from t order by v limit 4",
    "select q.k from (select k from t union all select k from u) q join u on q.k = u.k",
]
SETS = [  # duplicates are removed
    "select distinct k, s from t",
    "select distinct t.k from t join u on t.k = u.k",
    "select k from t union select k from u",
    "select k, s from t group by k, s",
    "select distinct q.k from (select distinct k, w from u) q join t on q.k = t.k",
    "select k from t union (select k from u union all select v from t)",
    "select distinct k from (select k from t union select w from u) q",
]
COUNTS = [  # the last column is the number of derivations
    "select k, count(*) from t group by k",
    "select k, s, count(*) from t where v > 1 group by all",
    "select u.w, count(*) from t join u on t.k = u.k group by u.w",
    "select count(*) from t x join t y on x.k = y.k",
    "select q.k, count(*) from (select k from t union all select k from u) q group by q.k",
]  # fmt: skip
VALUES = [  # the first column is the key of a group that has other aggregates
    "select k, sum(v), max(s) from t group by k",
    "select u.w, avg(v) from t join u on t.k = u.k group by u.w",
]


def made(rows: dict[str, list[Row]]) -> Connection:
    con = connect(duckdb.connect(config={"threads": 1}))
    con.execute("create table t (k int, s varchar, v int); create table u (k int, w int)")
    con.execute(
        "create view both_tables as select t.k, u.w from t join u on t.k = u.k and t.v > u.w"
    )
    fill(con.duckdb, rows)
    return con


def fill(con: duckdb.DuckDBPyConnection, rows: dict[str, list[Row]]) -> None:
    for table, values in rows.items():
        if values:
            marks = f"({', '.join('?' * len(values[0]))})"
            given = [cell for row in values for cell in row]
            con.execute(f"insert into {table} values {', '.join([marks] * len(values))}", given)


@cache
def kept(seed: int) -> Connection:
    """Return a database with the rows that a seed determines. Tests must not change it."""
    return made(data(seed))


@cache
def plain() -> duckdb.DuckDBPyConnection:
    """Return a database whose rows are replaced for each rerun of a query."""
    return made({}).duckdb


def data(seed: int) -> dict[str, list[Row]]:
    """Return random rows with NULLs and duplicates."""
    draw = random.Random(seed)
    t = [
        (draw.choice([None, 0, 1, 2]), draw.choice([None, "x", "y"]), draw.randint(0, 5))
        for _ in range(11)
    ]
    u = [(draw.choice([None, 0, 1, 2]), draw.choice([None, 0, 1, 3])) for _ in range(7)]
    return {"t": [*t, *t[:3]], "u": [*u, *u[:2]]}


def again(rows: dict[str, list[Row]], sql: str, number: Number) -> list[Row]:
    """Run a query on tables in which each record occurs ``number(record)`` times."""
    repeated = {
        table: [
            row for rid, row in enumerate(values) for _ in range(number(RecordTerm(table, rid)))
        ]
        for table, values in rows.items()
    }
    plain().execute("delete from t; delete from u")
    fill(plain(), repeated)
    return rows_of(plain().sql(sql.split(" order by")[0]).to_arrow_table())


def numbers(draw: random.Random, rows: dict[str, list[Row]], choices: list[int]) -> Number:
    chosen = {
        RecordTerm(table, rid): draw.choice(choices)
        for table, values in rows.items()
        for rid in range(len(values))
    }
    return chosen.__getitem__


def compare_how(sql: str, seed: int) -> None:
    """Check that the polynomials predict a query's result on tables with repeated records."""
    rows = data(seed)
    draw = random.Random(seed)
    result = kept(seed).sql(sql, lineage=True)
    found = rows_of(result.to_arrow())
    for choices in ([1], [0, 1, 2, 3], [0, 0, 0, 1]):
        number = numbers(draw, rows, choices)
        expected = again(rows, sql, number)
        for at in range(0, len(found), max(1, len(found) // 5)):
            value = result.how(at).evaluate(number)
            if sql in COUNTS:
                counts = {row[:-1]: row[-1] for row in expected}
                assert value == counts.get(found[at][:-1], 0), (sql, found[at])
            elif sql in SETS:
                assert (value > 0) == (found[at] in expected), (sql, found[at])
            else:
                assert value == expected.count(found[at]), (sql, found[at])


def compare_why(sql: str, seed: int) -> None:
    """Check that a row exists exactly when all records of at least one of its witnesses exist."""
    rows = data(seed)
    draw = random.Random(seed)
    result = kept(seed).sql(sql, lineage=True)
    width = len(result.columns) - (1 if sql in COUNTS else 0)
    width = 1 if sql in VALUES else width
    found = [row[:width] for row in rows_of(result.to_arrow())]
    whys = {at: result.why(at) for at in range(0, len(found), max(1, len(found) // 5))}
    for choices in ([0, 1, 1], [0, 0, 0, 1]):
        number = numbers(draw, rows, choices)
        expected = [row[:width] for row in again(rows, sql, number)]
        for at, witnesses in whys.items():
            exists = any(all(map(number, witness)) for witness in witnesses)
            assert exists == (found[at] in expected) or width == 0, (sql, found[at])
    for at, witnesses in whys.items():
        for one in witnesses[:2]:
            assert not any(other < one for other in witnesses)
            only = [row[:width] for row in again(rows, sql, one.__contains__)]
            assert found[at] in only, (sql, found[at])


EVERY = [*ROWS, *SETS, *COUNTS]


@pytest.mark.parametrize("sql", EVERY[::8])  # a long test below has all queries
def test_polynomials_compute_results_on_multiples_of_the_records(sql: str) -> None:
    compare_how(sql, len(sql) % 4)


@pytest.mark.parametrize("sql", [*EVERY[1::8], *VALUES])  # a long test below has all queries
def test_a_row_exists_where_a_witness_does(sql: str) -> None:
    compare_why(sql, len(sql) % 4)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12))
def test_many_tables(seed: int) -> None:
    for sql in EVERY:
        compare_how(sql, seed)
    for sql in [*EVERY, *VALUES]:
        compare_why(sql, seed)


def test_polynomials_by_hand() -> None:
    con = made({"t": [(1, "x", 1), (1, "x", 1), (2, "y", 3)], "u": [(1, 7), (2, 8)]})
    joined = con.sql("select t.k, w from t join u on t.k = u.k order by 1", lineage=True)
    assert str(joined.how(0)) == "t/0·u/0 + t/1·u/0"
    assert joined.why(0) == [{("t", 0), ("u", 0)}, {("t", 1), ("u", 0)}]
    square = con.sql("select x.v from t x join t y on x.k = y.k where x.k = 2", lineage=True)
    assert str(square.how(0)) == "t/2^2"
    assert square.why(0) == [{("t", 2)}]
    twice = con.sql("select count(*) from u a join (select 1 x union all select 1) on true",
                    lineage=True)  # fmt: skip
    assert sorted(map(str, twice.how(0).terms.values())) == ["2", "2"]
    constant = con.sql("select 1 x union all select 1", lineage=True)
    assert (str(constant.how(0)), constant.why(1)) == ("2", [frozenset()])
    # A witness that is contained in another one makes the larger one unnecessary.
    less = con.sql("select k from t where k = 2 union select t.k from t join u on t.k = u.k "
                   "where t.k = 2", lineage=True)  # fmt: skip
    assert less.why(0) == [{("t", 2)}]


@pytest.mark.long
def test_compiled_loops_have_the_same_derivations() -> None:
    con = kept(3)
    sql = "select s, count(*) from t where v > 1 group by s order by s"
    compiled, plain = (con.sql(sql, lineage=True, mode=mode) for mode in ("compiled", "witness"))
    for row in range(len(plain)):
        assert compiled.how(row) == plain.how(row)
        assert compiled.why(row) == plain.why(row)


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("select k, count(*) from t group by k having count(*) > 1", "HAVING"),
        (
            "select k from t where k not in (select k from u where k > 5)",
            "a subquery in an expression",
        ),
        ("select k from t where exists (select 1 from u)", "a subquery in an expression"),
        ("select k from t anti join u using (k)", "a subquery in an expression"),
        ("select k from t except select k from u", "EXCEPT"),
        ("select k from t intersect select k from u", "INTERSECT"),
        ("select t.k from t left join u on t.k = u.k", "an outer join"),
        ("select k, n from (select k, count(*) n from t group by k) q", "aggregates in a subquery"),
        ("select k from (select k from t order by v limit 2) q", "LIMIT in a subquery"),
        ("select k, rank() over (order by v) from t", "a window function"),
        ("select distinct on (k) k, v from t", "DISTINCT ON"),
        ("select k from t qualify row_number() over (order by v) = 1", "QUALIFY"),
        ("select k, s, count(*) from t group by rollup (k, s)", "GROUPING SETS"),
        ("select distinct k, count(*) from t group by k", "DISTINCT with GROUP BY"),
    ],
)
def test_what_has_no_derivations_is_refused_with_its_place(sql: str, what: str) -> None:
    result = kept(1).sql(sql, lineage=True)
    for ask in (result.why, result.how):
        with pytest.raises(NotCovered) as refused:
            ask(0)
        assert what in refused.value.wanted
        assert "in line 1, column" in refused.value.found


@pytest.mark.parametrize(
    "sql",
    [
        "select k, sum(v) from t group by k",
        "select k, count(v) from t group by k",
        "select k, count(*) filter (where v > 1) from t group by k",
        "select t.k from t join (select distinct k from u) q on t.k = q.k",
        "select k from t union all (select k from u union select k from t)",
        "select q.k from (select k from t group by k) q",
    ],
)
def test_values_that_no_polynomial_has_are_refused(sql: str) -> None:
    result = kept(1).sql(sql, lineage=True)
    assert result.why(0)
    with pytest.raises(NotCovered, match="polynomial of"):
        result.how(0)


def test_errors_say_what_to_do() -> None:
    con = connect()
    con.execute("create table t as select range % 2 k from range(1000)")
    many = con.sql("select count(*) from t x join t y using (k)", lineage=True)
    with pytest.raises(UsageError, match="more than 100,000 derivations"):
        many.why(0)
    with pytest.raises(UsageError, match="has no row 7"):
        many.how(7)
    con.execute("delete from t where k = 0")
    with pytest.raises(UsageError, match="can no longer be asked"):
        many.why(0)
