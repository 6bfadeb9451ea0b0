"""An analyst's edits: each result equals a fresh run of the query, whatever it is computed from."""

from collections import Counter
from random import Random

import duckdb
import pytest

from provhouse.interactive.duckdb_session import Connection, connect
from provhouse.interactive.edits import Edits

FLIGHTS = """
    create table flights as select i::integer id, ['AA', 'UA', null, 'B6'][1 + i % 4] as carrier,
        nullif(i * 7 % 90, 13)::integer delay, (i % 12 + 1)::integer as month
    from range(400) t(i)"""
ALL = "select id, carrier, delay, month from flights"
BY = "select carrier, month, count(*) as n, sum(delay)::bigint as total from flights"
RANDOM = "select random() as r from flights"
WAYS: dict[str, tuple[str, list[str], str]] = {
    "undo": (
        "key",
        [f"{ALL} where delay > 5", f"{ALL} where delay > 5 and month = 2"],
        f"{ALL} where delay > 5",
    ),
    "reorder": (
        "key",
        [f"{ALL} where delay > 5 and month < 4"],
        "select id, carrier, delay, month from flights f where month < 4 and f.delay > 5",
    ),
    "tighten": ("filter", [f"{ALL} where delay > 5"], f"{ALL} where delay > 9 and carrier = 'AA'"),
    "tighten groups": (
        "filter",
        [f"{BY} group by carrier, month"],
        f"{BY} where carrier in ('AA', 'UA') group by carrier, month having count(*) > 5",
    ),
    "widen": ("delta", [f"{ALL} where delay > 20"], f"{ALL} where delay > 9"),
    "remove": ("delta", [f"{ALL} where delay > 20 and month = 3"], f"{ALL} where month = 3"),
    "widen groups": (
        "delta",
        [f"{BY} where month < 4 group by carrier, month"],
        f"{BY} where month < 7 group by carrier, month",
    ),
    "fewer rows": (
        "filter",
        [f"{ALL} order by delay desc, month, id limit 20"],
        f"{ALL} order by delay desc, month, id limit 5",
    ),
    "another column": ("computed", ["select id from flights where delay > 9"], ALL),
    "random": ("computed", [RANDOM], RANDOM),
}


@pytest.fixture
def con() -> Connection:
    """A connection with a table of flights, whose key is declared."""
    opened = connect(duckdb.connect())
    opened.execute(FLIGHTS)
    opened.execute("alter table flights add primary key (id)")
    return opened


def check(con: Connection, edits: Edits, query: str) -> str:
    """Compare the rows of an edit with those of a fresh query, and return how it was computed."""
    found = edits.sql(query)
    oracle = con.duckdb.sql(query).to_arrow_table()
    assert found.rows.schema.equals(oracle.schema)
    one, other = found.rows.to_pylist(), oracle.to_pylist()
    if "order by" in query:
        assert one == other
    if "random" not in query:
        assert Counter(map(str, one)) == Counter(map(str, other))
    return found.by


@pytest.mark.parametrize("name", WAYS)
def test_a_result_is_computed_from_an_earlier_one(con: Connection, name: str) -> None:
    by, before, after = WAYS[name]
    edits = con.edits()
    for query in before:
        check(con, edits, query)
    assert check(con, edits, after) == by


def test_a_change_of_a_table_forgets_the_results(con: Connection) -> None:
    edits, query = con.edits(), f"{ALL} where delay > 5"
    assert check(con, edits, query) == "computed"
    con.execute("insert into flights values (900, 'AA', 50, 1)")
    assert check(con, edits, query) == "computed"
    assert check(con, edits, query) == "key"
    con.execute("alter table flights rename column month to m")
    assert check(con, edits, "select id, m from flights where delay > 5") == "computed"


def test_a_change_by_another_connection_forgets_the_results(con: Connection) -> None:
    edits, query = con.edits(), f"{ALL} where delay > 5"
    assert check(con, edits, query) == "computed"
    con.duckdb.cursor().execute("update flights set delay = 1 where id = 40")
    assert check(con, edits, query) == "computed"


@pytest.mark.parametrize("number", [8, pytest.param(40, marks=pytest.mark.long)])
def test_many_edits_give_the_rows_of_each_query(con: Connection, number: int) -> None:
    random, edits, seen = Random(40), con.edits(), Counter[str]()
    for _ in range(number):
        listed = [
            f"delay > {random.choice([5, 20, 40])}",
            f"month <= {random.choice([3, 6, 9])}",
            random.choice(["carrier = 'AA'", "carrier in ('AA', 'B6')", "carrier is null"]),
        ]
        conditions = " and ".join(random.sample(listed, k=random.randint(1, 3)))
        seen[check(con, edits, f"{ALL} where {conditions}")] += 1
    assert seen["computed"] == 1
    assert number == 8 or min(seen[by] for by in ("key", "filter", "delta")) > 0
