"""Random queries over random tables: lineage is checked by running them again."""

from collections import Counter

import duckdb
import pytest

from helpers.interactive_oracle import check, same
from helpers.random_sql import Writer, statements
from provhouse.interactive import Connection, connect
from provhouse.interactive.refusal import NotCovered

QUERIES = 25
"""The number of queries over the same tables."""
REFUSED = (
    "JOIN in a correlated subquery",
    "GROUPING SETS in a correlated subquery",
)
"""All that may be refused; see docs/interactive.md."""


def tables(seed: int) -> Connection:
    """Return a database with random tables."""
    con = duckdb.connect()
    for statement in statements(seed):
        con.execute(statement)
    return connect(con)


def tried(con: Connection, seed: int) -> str:
    """Check one query, and return whether it was covered."""
    writer = Writer(seed)
    sql = writer.query()
    refused = ""
    try:
        checked = check(con, sql, most=4)
    except NotCovered as error:
        refused = error.wanted
    if refused:
        assert any(each in refused for each in REFUSED), sql
        return "refused"
    assert checked.wrong == [], sql
    assert not writer.sure or checked.necessary == checked.removed, sql
    same(con, sql, ("witness", "defer", "inject"), most=6)
    return "covered" if checked.rows else "empty"


def run(seeds: range) -> None:
    """Check the queries of some seeds."""
    found: Counter[str] = Counter()
    for seed in seeds:
        con = tables(seed)
        found += Counter(tried(con, seed * QUERIES + at) for at in range(QUERIES))
    assert found["covered"] > 0.5 * found.total(), found
    assert found["refused"] < 0.05 * found.total(), found


def test_rows_come_back_from_their_witnesses() -> None:
    run(range(1))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(20))
def test_rows_of_500_queries_come_back_from_their_witnesses(seed: int) -> None:
    run(range(seed, seed + 1))
