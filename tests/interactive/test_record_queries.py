"""Queries over records from decoded columns give the same rows as queries that scan the table."""

import random
from collections import Counter

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from helpers.sampled import one_in
from provhouse.interactive import Connection, connect
from provhouse.interactive.record_queries import answered, over
from provhouse.model.errors import UsageError
from provhouse.sql.catalog import TablePlace

TABLE = TablePlace("memory", "main", "t")
LOOPS = (
    "select k, count(*), sum(v) from records group by k order by k",
    "select count(*), max(v) from records where k < 3",
    "select s, min(v), avg(v), sum(v * 2 + 1) from records r where r.v > 2 group by s",
    "select k % 2 as half, s, count(v) n from records group by all having count(*) > 1",
    "select s, count(*) from records group by s order by count(*) desc, s limit 2",
    "select count(*) from records",
)
GATHERED = (
    "select count(*) from records join u using (k)",
    "select avg(x), stddev(x), count(distinct s) from records",
    "with q as (select k, x from records where v > 1) select k, sum(x) from q group by k",
    "-- first\nwith recursive q(i) as (select 1 union all select i + 1 from q where i < 3) "
    "select i, count(*) from q, records where k = i group by i",
    "select s, rank() over (partition by k order by v, x, s) from records",
    "select r.v from records r join records q on r.k = q.v where q.x > 0.5",
    "select upper(s), l[1], d from records where d is not null",
    "select 1 from records where k in (select k from u)",
)
SCANNED = (
    "select * from records",
    "select count(r) from records r",
    "select records from records",
    "select #1 from records",
    "select columns('[kv]') from records",
    "select * exclude (l) from records where v > 3",
    "from records order by all",
)
GROUPS = "select k, count(*) from t group by k"


@pytest.fixture(scope="module")
def con() -> Connection:
    """A table with NULLs and with columns of several types, and a smaller table."""
    draw = random.Random(22)
    con = connect(duckdb.connect())
    con.execute("create table t (k int, v bigint, s varchar, x double, d date, l int[])")
    con.execute("create table u as select range::int as k from range(0, 9, 2)")
    for at in range(500):
        row = [
            draw.choice([None, *range(6)]), draw.randint(-5, 9), draw.choice([None, "a", "b", "B"]),
            draw.choice([None, draw.random()]), f"2026-01-{1 + at % 28}", [at, 2],
        ]  # fmt: skip
        con.duckdb.execute("insert into t values (?, ?, ?, ?, ?, ?)", row)
    con.changed()
    return con


def bag(table: pa.Table) -> Counter[str]:
    return Counter(
        str([f"{each:.9g}" if isinstance(each, float) else each for each in row.values()])
        for row in table.to_pylist()
    )


def scanned(con: Connection, rids: list[int], query: str) -> pa.Table:
    """Run a query over records whose rids are listed one by one."""
    chosen = f"select * from t where rowid in ({', '.join(map(str, rids)) or 'null'})"
    return con.duckdb.sql(over(chosen, query)).to_arrow_table()


@pytest.mark.parametrize("query", one_in(6, [*LOOPS, *GATHERED, *SCANNED]))
def test_all_ways_have_the_same_answer(con: Connection, query: str) -> None:
    draw = random.Random(query)
    for share in (0.0, 0.02, 0.5, 1.0):
        rids = np.array([rid for rid in range(500) if draw.random() < share], np.int32)
        expected = scanned(con, rids.tolist(), query)
        answered(con, TABLE, rids, query)  # this notes which columns are needed
        found = answered(con, TABLE, rids, query)
        if query in SCANNED:
            assert found is None
            continue
        assert found is not None
        assert found.schema == expected.schema
        assert bag(found) == bag(expected), (query, share)
    assert (con.record_queries[TABLE, query].fused is not None) == (query in LOOPS)


@pytest.mark.parametrize("query", one_in(6, [*LOOPS, *GATHERED, *SCANNED]))
def test_records_of_rows_are_asked_several_times(con: Connection, query: str) -> None:
    result = con.sql(GROUPS, lineage=True)
    for row in (0, 2, 4):
        records = result.backward("t", [row])
        expected = scanned(con, records.rids.tolist(), query)
        assert bag(records.sql(query)) == bag(expected)


def test_columns_are_decoded_when_they_are_named_for_the_second_time() -> None:
    con = connect()
    con.execute("create table t as select range % 3 k, range v, range / 2.0 x from range(1000)")
    result = con.sql("select k, count(*) from t group by k", lineage=True)
    records = result.backward("t", [1])
    first = records.sql("select sum(x) s from records")
    assert con.columns.size == 0
    assert records.sql("select sum(x) s from records") == first
    assert 8000 <= con.columns.size < 16000  # the size of one column only
    con.execute("update t set x = 1")
    assert con.columns.size == 0
    with pytest.raises(UsageError, match="can no longer be read"):
        records.sql("select sum(x) s from records")


def test_tables_with_gaps_collations_and_little_memory_are_scanned() -> None:
    con = connect(memory_mb=0)
    con.execute("create table t as select range % 3 k, range v from range(100)")
    con.execute("create table c (s varchar collate nocase); insert into c values ('a'), ('A')")
    query = "select k, sum(v) from records group by k order by k"
    records = con.sql("select v from t", lineage=True).backward("t")
    assert [records.sql(query).to_pylist() for _ in range(3)] == [
        records.sql(query).to_pylist()
    ] * 3
    assert con.columns.size == 0
    con.memory.limit = 1 << 20
    con.execute("delete from t where v = 7")
    records = con.sql("select v from t", lineage=True).backward("t")
    for _ in range(3):
        assert records.sql("select sum(v) s from records").to_pylist() == [{"s": 4950 - 7}]
    assert con.columns.size == 0
    letters = con.sql("select s from c", lineage=True).backward("c")
    for _ in range(3):
        assert letters.sql("select count(*) n from records where s = 'A'").to_pylist() == [{"n": 2}]


def test_duckdb_reports_errors_in_the_query(con: Connection) -> None:
    records = con.sql(GROUPS, lineage=True).backward("t", [0])
    for query in ("select z from records", "select k from", "select rowid from records"):
        for _ in range(3):
            with pytest.raises(duckdb.Error):
                records.sql(query)
