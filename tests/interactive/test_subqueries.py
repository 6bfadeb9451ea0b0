"""Subqueries in all positions. From a row's records alone, DuckDB reproduces the row."""

from pathlib import Path

import pytest

from helpers.cut_tables import CutTables
from helpers.sampled import one_in
from provhouse.sql.not_covered import NotCovered

SQL = (Path(__file__).parent / "subqueries.sql").read_text(encoding="utf-8").splitlines()
TABLES = ("people", "homes", "jobs")
STATEMENTS = [
    "create table people(id int, city varchar, age int)",
    "create table homes(id int, name varchar, price int)",
    "create table jobs(id int, city varchar, pay int)",
    "insert into people values (1, 'a', 10), (2, 'b', 20), (3, 'c', 30), (4, 'a', 40), "
    "(5, null, 50), (6, 'b', null)",
    "insert into homes values (1, 'a', 5), (2, 'a', 25), (3, 'b', 15), (4, null, 35), "
    "(5, 'd', null)",
    "insert into jobs values (1, 'a', 7), (2, 'c', 8), (3, 'c', 20), (4, 'b', 10)",
]


@pytest.fixture(scope="module")
def tables() -> CutTables:
    return CutTables(STATEMENTS, TABLES)


@pytest.mark.parametrize("sql", SQL[::32])  # the long test below has all queries
def test_rows_come_back_from_their_records(tables: CutTables, sql: str) -> None:
    tables.checked(sql)


@pytest.mark.long
@pytest.mark.parametrize("sql", SQL)
def test_all_rows_come_back_from_their_records(tables: CutTables, sql: str) -> None:
    tables.checked(sql, most=1000)


ALL = [0, 1, 2, 3, 4]
BY_HAND = [
    # Arguments and values of table expressions in FROM.
    ("select v.x from (values ((select min(price) from homes))) v(x)", [{"homes": ALL}]),
    ("select u from unnest((select list(price) from homes where id < 2)) t(u)", [{"homes": [0]}]),
    ("select i from range((select min(price) - 4 from homes)) t(i)", [{"homes": ALL}]),
    # A scalar subquery as a member of an IN list.
    ("select id from people where city in ('x', (select min(name) from homes)) and id < 4",
     [{"people": [0], "homes": ALL}]),
    # The value of a comparison: TRUE has the matching rows, and FALSE and NULL have all rows.
    ("select city in (select name from homes) from people where id in (1, 3) order by id",
     [{"people": [0], "homes": [0, 1]}, {"people": [2], "homes": ALL}]),
    ("select age > all(select price from homes where id < 3) from people where id < 3 order by id",
     [{"people": [0], "homes": [1]}, {"people": [1], "homes": [1]}]),
    ("select id from people where (city not in (select name from homes)) is null and id > 2",
     [{"people": [2], "homes": ALL}, {"people": [4], "homes": ALL}]),
    ("select id, (age in (select price from homes h where h.name = p.city)) is null "
     "from people p where id = 6", [{"people": [5], "homes": [2]}]),
    # A condition in WHERE has only the matching rows, even as a part of an OR.
    ("select id from people where id = 3 or city in (select name from homes where price < 10)",
     [{"people": [0], "homes": [0]}, {"people": [2], "homes": []},
      {"people": [3], "homes": [0]}]),
    # LIMIT.
    ("select id from people order by id limit (select min(price) - 4 from homes)",
     [{"people": [0], "homes": ALL}]),
    # Aggregates of the block around the subquery.
    ("select city, (select max(price) from homes h where h.price < sum(p.age) and h.name = p.city) "
     "from people p where city = 'a' group by city", [{"people": [0, 3], "homes": [0, 1]}]),
    ("select (select sum(p.age)) from people p where id < 3", [{"people": [0, 1]}]),
    # FILTER clauses, keys of groups, and windows.
    ("select count(*) filter (where age in (select price + 5 from homes)) from people where id < 3",
     [{"people": [0, 1], "homes": [0, 2]}]),
    ("select (select max(price) from homes h where h.name = p.city), count(*) from people p "
     "where city = 'a' group by 1", [{"people": [0, 3], "homes": [0, 1]}]),
    ("select sum((select max(price) from homes h where h.name = p.city)) over (partition by city) "
     "from people p where id in (1, 4) limit 1", [{"people": [0, 3], "homes": [0, 1]}]),
    # Derived tables that refer to the query around them.
    ("select (select count(*) from (select distinct name from homes h where h.price < p.age) q) "
     "from people p where id = 2", [{"people": [1], "homes": [0, 2]}]),
    ("select array(select price from homes h where h.name = p.city) from people p where id = 1",
     [{"people": [0], "homes": [0, 1]}]),
    # A LIMIT in a correlated subquery has all ties, or all rows that its OFFSET counts.
    ("select (select price from homes h where h.name = p.city order by price limit 1) "
     "from people p where id = 1", [{"people": [0], "homes": [0]}]),
    ("select (select price from homes h where h.name = p.city order by price limit 1 offset 1) "
     "from people p where id = 1", [{"people": [0], "homes": [0, 1]}]),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "expected"), one_in(4, BY_HAND))
def test_records_by_hand(tables: CutTables, sql: str, expected: list[dict[str, list[int]]]) -> None:
    result = tables.checked(sql)
    found = [
        {name: result.backward(name, [row]).rids.tolist() for name in result.references}
        for row in range(len(result))
    ]
    assert found == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select city, (select count(*) from homes) from people order by 2 desc, 1 limit 1",
         [("a", 5)]),
        ("select count(*), age > 20 from people where age > 10 group by cube(2) order by 2, 1",
         [(1, False), (3, True), (4, None)]),
        ("select city in (select name from homes where id < 4) m, count(*) from people group by m "
         "order by m", [(False, 1), (True, 4), (None, 1)]),
    ],
)  # fmt: skip
def test_results_are_those_of_duckdb(
    tables: CutTables, sql: str, expected: list[tuple[object, ...]]
) -> None:
    result = tables.checked(sql).to_arrow()
    columns = [column.to_pylist() for column in result.columns]
    assert list(zip(*columns, strict=True)) == expected


def test_one_use_in_the_text_is_one_reference(tables: CutTables) -> None:
    sql = "select city in (select name from homes) m, count(*) from people group by m having m"
    assert tables.checked(sql).references == ["homes", "people"]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select id from people order by id limit 2", []),
        ("select id from people order by id limit 2 offset 1", ["OFFSET in line 1, column 50"]),
        ("select id from people limit 50%", ["LIMIT in line 1"]),
        ("select count(*) from (select id from people\nlimit 2 offset 1)",
         ["LIMIT in line", "OFFSET in line"]),
    ],
)  # fmt: skip
def test_what_chooses_among_rows_is_named(tables: CutTables, sql: str, expected: list[str]) -> None:
    result = tables.con.sql(sql, lineage=True)
    assert len(result.choices) == len(expected)
    for found, wanted in zip(result.choices, expected, strict=True):
        assert found.startswith(wanted)
        assert f"{found}: rows that it passed over" in result.explain()


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("select city, age % 20 a, count(*) from people group by grouping sets ((1, a), (2))",
         "which DuckDB and provhouse read differently"),
        ("select distinct city from people p order by (select max(price) from homes h "
         "where h.name = p.city)", "a correlated subquery in ORDER BY of DISTINCT"),
        ("select city from people union select city from jobs "
         "order by (select max(price) from homes h where h.name = city)", "is not supported"),
    ],
)  # fmt: skip
def test_what_is_not_covered_is_refused_at_once(tables: CutTables, sql: str, what: str) -> None:
    with pytest.raises(NotCovered) as refused:
        tables.con.sql(sql, lineage=True)
    assert what in str(refused.value)
