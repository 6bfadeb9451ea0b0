"""A result with a LIMIT is certain only if it is the same for rows in any order.

DuckDB is the oracle: it reads the rows of the tables in several orders.
"""

from collections.abc import Iterator
from random import Random

import pytest

from helpers.proof_pairs import DDL
from provhouse.equivalence.empty_database import EmptyDatabase, empty_database
from provhouse.equivalence.plan_form import doubts
from provhouse.equivalence.variation import TIES

ORDERS = 8
ROWS = {
    "d": ["1, 'x', 0", "2, 'x', 0", "3, 'y', null", "4, 'y', -3", "5, 'z', 7"],
    "e": [
        "1, 1, 1, 0, 'a', 1.5, true", "2, 1, 2, 0, 'a', -1.5, true",
        "3, 2, null, 5, 'b', 0, false", "4, 2, 1, -5, 'b', 0, false", "5, 3, 9, null, 'a', 2, null",
    ],
    "r": ["0, 1, 'x'", "0, -1, 'x'", "null, 4, 'y'", "1, 1, 'x'", "1, 2, 'y'", "2, 0, 'z'"],
    "n": ["1, 0.0", "2, '-0.0'", "3, 1.5", "4, null"],
}  # fmt: skip
CERTAIN = {
    "a key before a ratio": "select k, sum(sal) / -count(*) x from e group by k order by k, x",
    "a key through a join": "select id, region / -2 x from e join d on e.k = d.k order by id, x",
    "a key of another name": "select d.k, region / -2 x from e join d on e.id = d.k order by 1, 2",
    "a key of a group that is joined": "select d.k, x / -2 y from d join "
    "(select k, sum(sal) x from e group by k) s on s.k = d.k order by 1, 2",
    "keys of both sides": "select e.id, d.k, d.region / -2 x from e, d order by 1, 2, 3",
    "an outer join with a key": "select id, region / -2 x from e left join d on e.m = d.k "
    "order by id, x",
    "an average of exact numbers": "select a, avg(b) x from r group by rollup(a) order by a, x",
    "a difference of averages": "select a, avg(b) - avg(a) x from r group by rollup(a) "
    "order by 1, 2",
    "one row": "select 0 / -count(*) x from r order by x",
    "a constant part of a key": "select k, x from "
    "(select k, job, sum(sal) / -1 x from e group by k, job) where job = 'a' order by k, x",
}  # fmt: skip
UNCERTAIN = {
    "0.0 and -0.0": "select f from n order by f",
    "products": "select a * b::double x from r order by x",
    "a column that is no key": "select id, k from e order by k",
    "a join with several partners": "select e.id, r.b from e join r on e.m = r.a order by e.id",
    "an outer join with several partners": "select e.id, r.b from e left join r on e.m = r.a "
    "order by e.id",
    "rows without a partner": "select e.id, d.k from d left join e on e.id = d.k and e.sal > 99 "
    "order by e.id",
    "an equality in a disjunction": "select id, k from e where k = 1 or id = k order by k",
}
ALSO_UNCERTAIN = {
    "ROLLUP and NULL": "select a, count(*) x from r group by rollup(a) order by a nulls first",
    "a union of keys": "select k, 'd' x from d union all select id, 'e' from e order by 1",
}
"""Queries whose rows tie, although DuckDB returns the same row for each order of the tables."""
RANKS = "select a, rank() over (order by f) x from n order by a, x limit 3"


@pytest.fixture(scope="module")
def database() -> Iterator[EmptyDatabase]:
    with empty_database(DDL) as found:
        yield found


def _results(database: EmptyDatabase, text: str) -> set[str]:
    """Return the different results of a query for its tables' rows in different orders."""
    source, found = Random(7), set()
    for _ in range(ORDERS):
        database.clear(database.columns)
        for table, rows in ROWS.items():
            listed = ", ".join(f"({each})" for each in source.sample(rows, len(rows)))
            database.con.execute(f"insert into {table} values {listed}")
        found.add(repr(database.con.execute(text).fetchall()))
    return found


@pytest.mark.parametrize("text", CERTAIN.values(), ids=CERTAIN)
@pytest.mark.parametrize("count", [1, 2])
def test_rows_that_the_order_determines_are_certain(
    database: EmptyDatabase, text: str, count: int
) -> None:
    limited = f"{text} limit {count}"
    assert doubts(database.plan(limited)) == []
    assert len(_results(database, limited)) == 1


@pytest.mark.parametrize("text", (UNCERTAIN | ALSO_UNCERTAIN).values())
def test_rows_that_tie_are_not_certain(database: EmptyDatabase, text: str) -> None:
    limited = f"{text} limit 1"
    assert len(_results(database, limited)) > 1 or text in ALSO_UNCERTAIN.values()
    assert doubts(database.plan(limited)) == [TIES]


def test_ranks_of_equal_doubles_are_equal(database: EmptyDatabase) -> None:
    assert doubts(database.plan(RANKS)) == []
    assert len(_results(database, RANKS)) == 1
