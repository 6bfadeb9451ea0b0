"""Random queries over random tables; their lineage is checked by running the queries again."""

from itertools import count

import duckdb
import pytest

from helpers.interactive_oracle import check, same
from helpers.random_sql import Writer, statements
from provhouse.interactive import Connection, connect
from provhouse.sql.not_covered import NotCovered

QUERIES = 25
"""The number of queries with rows to check on the same tables."""
REFUSED = (
    "RIGHT JOIN in a correlated subquery",
    "FULL JOIN in a correlated subquery",
    "before a RIGHT or FULL JOIN",
    "LIMIT of a set operation in a correlated subquery",
)
"""The only reasons for which a query may be refused; see docs/interactive.md."""


def tables(seed: int) -> Connection:
    """Return a database with random tables."""
    con = duckdb.connect(config={"threads": 1})
    for statement in statements(seed):
        con.execute(statement)
    return connect(con)


def covered(con: Connection, seed: int) -> bool:
    """Check one query. Return whether it was covered and returned rows."""
    writer = Writer(seed)
    sql = writer.query()
    refused = ""
    try:
        checked = check(con, sql, most=4)
        assert checked.wrong == [], sql
        assert not writer.sure or checked.necessary == checked.removed, sql
        same(con, sql, ("witness", "defer", "inject"), most=6)
    except NotCovered as error:
        refused = error.wanted
    assert not refused or any(each in refused for each in REFUSED), sql
    return not refused and checked.rows > 0


def run(seed: int, queries: int) -> None:
    """Check queries over a seed's tables until ``queries`` of them have returned rows."""
    con = tables(seed)
    numbers = count(seed * 1000)
    found = 0
    while found < queries:
        found += covered(con, next(numbers))


@pytest.mark.long
def test_rows_come_back_from_their_witnesses() -> None:
    run(100, 2)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_rows_of_500_queries_come_back_from_their_witnesses(seed: int) -> None:
    run(seed, QUERIES)
