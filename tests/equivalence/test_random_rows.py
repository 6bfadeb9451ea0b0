"""Random rows keep the constraints of their tables, meet conditions, and join."""

from collections import Counter

import pytest

from helpers.rewritten.pairs import tpch_queries
from helpers.rewritten.schema import stored
from helpers.sampled import one_in
from provhouse.equivalence.empty_database import EmptyDatabase, empty_database, whole_name
from provhouse.equivalence.near_values import NearValues
from provhouse.equivalence.random_rows import RandomRows
from provhouse.equivalence.verdict import ComparedQuery, compare

DDL = """
    create table p(k integer, l varchar, x integer, unused varchar not null, primary key (k, l));
    create table c(id integer primary key, pk integer, pl varchar, d date, boss integer,
        tags varchar[], u integer unique, foreign key (pk, pl) references p (k, l),
        foreign key (boss) references c (id));
    create table other(a decimal(4, 2), b bigint check (b > 1));"""
ALL = """select * from p join c on p.k = c.pk and p.l = c.pl join other on other.b = c.id
    where x > 700 and d < date '2024-05-01' + interval 1 month"""
MEETING = {
    "a range": "select k from p where x > 700 and x <= 702",
    "a pattern": "select k from p where l like 'a_%z' and l not like '%b%'",
    "a list": "select k from p where x in (17, 18, 19) and l not in ('q', 'r')",
    "a date and an interval": "select id from c where d <= date '1998-12-01' - interval 90 day "
    "and d > date '1998-06-01'",
    "a year": "select id from c where extract(year from d) = 1995",
    "dates in an order": "select id from c where d < (select max(d) from c z where z.d < "
    "date '1994-01-01') and d >= date '1993-12-31' - interval 30 day",
    "a part of a text": "select k from p where substring(l, 1, 2) in ('13', '31')",
    "a join of columns": "select p.x from p join c on p.x = c.u where c.d is not null",
    "a foreign key": "select x from p join c on p.k = c.pk and p.l = c.pl where p.x = 5",
    "groups": "select pk, count(*) n from c where d > date '2024-05-01' group by pk "
    "having count(*) > 1 and sum(u) > 10",
    "rows without a partner": "select k from p where not exists (select 1 from c where c.pk = p.k)",
    "nothing near": "select a from other where a is not null and b > 3",
}
LEAST = 6
"""The least number of databases, out of 24, in which a query must return rows."""


def _rows(database: EmptyDatabase, text: str) -> Counter[tuple[object, ...]]:
    return Counter(map(_plain, database.con.execute(text).fetchall()))


def _plain(row: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(map(repr, row))


@pytest.mark.parametrize("seed", one_in(3, range(3)))
def test_all_rows_are_accepted_and_repeat_and_have_nulls(seed: int) -> None:
    nulls = repeated = 0
    with empty_database(DDL) as database:
        made = RandomRows(database, [database.plan(ALL)], seed)
        for _ in range(24):
            made.fill()
            for table, rows in made.made.items():
                stored_rows = _rows(database, f"from {whole_name(table)}")
                checked = table[-1] == "other"
                assert checked or stored_rows.total() == len(rows), "a constraint was broken"
                nulls += sum("None" in row for row in stored_rows)
                repeated += checked and max(stored_rows.values(), default=0) > 1
    assert nulls > 20
    assert repeated


@pytest.mark.parametrize("name", one_in(3, MEETING))
def test_rows_meet_conditions_and_join(name: str) -> None:
    with empty_database(DDL) as database:
        made = RandomRows(database, [database.plan(MEETING[name])], 3)
        gave = 0
        for _ in range(24):
            made.fill()
            gave += bool(_rows(database, MEETING[name]))
    assert gave >= LEAST


@pytest.mark.parametrize("name", one_in(8, tpch_queries()))
def test_queries_of_tpch_give_rows(name: str) -> None:
    text = tpch_queries()[name]
    with empty_database(stored("tpch").ddl) as database:
        made = RandomRows(database, [database.plan(text)], 38)
        for _ in range(40):
            made.fill()
            if _rows(database, text):
                return
    raise AssertionError(f"no database gives rows for {name}")


def test_tables_that_are_not_read_are_filled_once_or_never() -> None:
    with empty_database(DDL) as database:
        made = RandomRows(database, [database.plan("select pk from c")], 1)
        made.fill()
        first = _rows(database, "from p")
        for _ in range(5):
            made.fill()
            assert _rows(database, "from p") == first
        assert ("memory", "main", "other") not in made.made


def test_columns_that_are_compared_share_their_values() -> None:
    text = "select 1 as x from p, c where p.x = c.u and c.u between 700 and 800 and p.k <> c.id"
    with empty_database(DDL) as database:
        near = NearValues([database.plan(text)])
    columns = (("p", "x"), ("c", "u"), ("p", "k"))
    x, u, k = ((("memory", "main", table), name) for table, name in columns)
    assert near.of(x) is near.of(u)
    assert {"699", "700", "701", "799", "800", "801"} <= near.of(x).beside.keys()
    assert near.of(k) is not near.of(x)
    assert not near.of(k).met


def test_the_rows_are_the_same_in_each_run() -> None:
    contents = []
    for _ in range(2):
        with empty_database(DDL) as database:
            made = RandomRows(database, [database.plan(ALL)], 5)
            made.fill()
            contents.append(made.rows())
    assert contents[0] == contents[1]


def test_a_query_that_needs_too_much_memory_refutes_nothing() -> None:
    ddl = """set memory_limit = '1MB'; create table p(k integer, x integer);
        create table c(k integer, y integer)"""
    windows = "sum(y) over (partition by x order by y, p.k) s, rank() over (order by x, c.k) r"
    texts = [
        f"select x, {windows} from p join c using (k) where x > {n} order by all" for n in (0, 1)
    ]
    found = compare(ComparedQuery(texts[0], ddl), ComparedQuery(texts[1], ddl))
    assert found.kind == "unknown"
    assert "need more memory than they may use" in found.reason
    more = ddl.partition(";")[2]
    assert compare(ComparedQuery(texts[0], more), ComparedQuery(texts[1], more)).kind == "different"


def test_the_reason_says_when_no_database_gave_rows() -> None:
    texts = [f"select k from p where md5(l) = '{letter}'" for letter in "xy"]
    found = compare(ComparedQuery(texts[0], DDL), ComparedQuery(texts[1], DDL))
    assert found.kind == "unknown"
    assert "none of them gives rows" in found.reason
