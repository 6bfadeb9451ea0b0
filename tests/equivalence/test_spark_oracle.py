"""Queries with equal keys give equal rows when Spark executes them."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from helpers.query_pairs import mutants, random_query
from helpers.sampled import one_in
from provhouse.capturing.analysed_plan import plan_of
from provhouse.equivalence.keys import plan_keys
from provhouse.equivalence.plan_form import doubts

EQUAL = (
    ("select a from t where a > 1 and b = 'x'", "select x.a from t x where 'x' = b and a > 1"),
    ("select t.a, e from t join u on t.a = u.a", "select a, e from t join u using (a)"),
    ("with q as (select a, b from t) select b from q", "select b from (select a, b from t) z"),
    ("select distinct a, b from t", "select a, b from t group by b, a"),
    ("select count(*) n from (select a from t order by b)", "select count(1) n from t"),
    ("select a + 1 x, b from t", "select x, b from (select b, 1 + a as x, d from t)"),
    ("select nvl(b, 'y') x from t", "select coalesce(b, 'y') x from t"),
    (
        "select b from t where a in (select a from u)",
        "from t select b where a in (from u select a)",
    ),
    (
        "select a from t where exists (select 1 from u where u.a = t.a)",
        "select y.a from t y where exists (select 1 from u z where y.a = z.a)",
    ),
    (
        "select a, (select max(k) from u where u.a = t.a) m from t",
        "select z.a, (select max(w.k) from u w where w.a = z.a) m from (select b, a from t) z",
    ),
    ("select b, sum(a) s from t group by b", "select b, sum(a) s from t group by b sort by b"),
    (
        "select b, sum(a) filter (where d > 1) s from t group by b",
        "select b, sum(a) filter (where d > 1) s from (select d, b, a from t) group by b",
    ),
    (
        "select sum(a) over (partition by b, d) s from t",
        "select sum(a) over (partition by d, b) s from t",
    ),
    (
        "select a from t union all select k from u",
        "with q as (select k from u) select a from t union all select * from q",
    ),
)
CHANGED = {
    "a type": ("select a from t", "select bigint(a) a from t"),
    "a literal's type": ("select a + 1 x from t", "select a + 1Y x from t"),
    "a name": ("select a from t", "select a b from t"),
    "the order of columns": ("select a, b from t", "select b, a from t"),
    "nullability": ("select k from u", "select nullif(k, -1) k from u"),
    "NULLS": (
        "select distinct a from t order by a nulls first limit 1",
        "select distinct a from t order by a nulls last limit 1",
    ),
    "a cast": ("select cast(b as int) x from t", "select try_cast(b as int) x from t"),
    "division": ("select a / 2 x from t", "select a div 2 x from t"),
    "a decimal": (
        "select cast(d as decimal(12, 1)) x from t",
        "select cast(d as decimal(12, 2)) x from t",
    ),
    "NULL-safe": ("select a from t where a = 1", "select a from t where a <=> 1"),
    "a self-join": (
        "select x.b from t x, t y where x.a = y.i",
        "select y.b from t x, t y where x.a = y.i",
    ),
    "a correlated column": (
        "select a from t where exists (select 1 from u where u.a = t.a)",
        "select a from t where exists (select 1 from u where u.a = t.i)",
    ),
    "columns of a subquery": (
        "select a from (select a, bigint(i) i from t) z where a in (select k from u where a > i)",
        "select a from (select bigint(i) i, a from t) z where a in (select k from u where a > k)",
    ),
    "NOT IN": (
        "select a from t where a not in (select a from u)",
        "select a from t where not exists (select 1 from u where u.a = t.a)",
    ),
    "EXPLODE": ("select explode(l) x from t", "select explode_outer(l) x from t"),
    "a side of TRIM": ("select ltrim('x', b) x from t", "select rtrim('x', b) x from t"),
    "a format": (
        "select date_format(ts, 'MM') x from t",
        "select date_format(ts, 'mm') x from t",
    ),
    "a constant table": (
        "select * from values (1), (2) v(x)",
        "select * from values (1), (3) v(x)",
    ),
    "a range": ("select * from range(5)", "select * from range(6)"),
    "CHAR": ("select code from c", "select name code from c"),
}
DOUBTFUL = {
    "rand": "select rand(1) x from t",
    "uuid": "select uuid() x from t",
    "the clock": "select now() x from t",
    "the day": "select current_date() x from t",
    "the user": "select current_user() x from t",
    "a number of rows": "select monotonically_increasing_id() x from t",
    "a number of a task": "select spark_partition_id() x from t",
    "a file": "select input_file_name() x from t",
    "metadata of a file": "select _metadata.file_path x from t",
    "shuffle": "select shuffle(l) x from t",
    "first": "select first(a) x from t",
    "any_value": "select any_value(a) x from t",
    "collect_list": "select collect_list(a) x from t",
    "collect_set": "select collect_set(a) x from t",
    "an approximate aggregate": "select approx_count_distinct(a) x from t",
    "a sum of doubles": "select sum(f) x from t",
    "an average of integers": "select avg(a) x from t",
    "a sum of TRY": "select try_sum(a) x from t",
    "groups of doubles": "select f from t group by f",
    "LIMIT": "select a from t limit 1",
    "ties": "select b from t order by a limit 1",
    "OFFSET": "select b from t order by a offset 1",
    "an OFFSET of an order": "select distinct a from t order by a offset 1",
    "a filter of an order": "select a from (select a from t order by a) where a > 1 limit 1",
    "now as a text": "select cast('now' as timestamp) x from t",
    "today as a text": "select cast(concat('to', 'day') as date) x from t",
    "a time of today": "select cast(b as timestamp) x from t",
    "a comparison with a time of today": "select a from t where ts > b",
    "ROW_NUMBER": "select row_number() over (order by a) x from t",
    "LAG": "select lag(b) over (order by a) x from t",
    "a frame of rows": "select sum(a) over (order by b rows 1 preceding) x from t",
    "a sample": "select a from t tablesample (50 percent)",
    "a lambda": "select transform(l, x -> x + 1) x from t",
    "a PIVOT": "select * from (select a, b from t) pivot (max(a) for b in ('x'))",
    "a lateral join": "select t.a from t, lateral (select e from u where u.a = t.a)",
    "a collation": "select b collate utf8_lcase = 'x' x from t",
    "an interval": "select ts + interval 1 day x from t",
    "JSON": "select from_json(b, 'a int') x from t",
    "a Java method": "select java_method('java.util.UUID', 'randomUUID') x from t",
    "recursion": "with recursive r(n) as (select 1 union all select n + 1 from r where n < 3) "
    "select n from r",
}
KINDS = ("null", "0", "1", "2", "3"), ("null", "'x'", "'X'", "'y'"), ("null", "1", "2", "2.5")


@pytest.fixture(scope="module")
def one_task(tables: SparkSession) -> Iterator[SparkSession]:
    """A session in which each stage is one task."""
    before = tables.conf.get("spark.sql.shuffle.partitions")
    tables.conf.set("spark.sql.shuffle.partitions", "1")
    yield tables
    tables.conf.set("spark.sql.shuffle.partitions", str(before))


def _fill(spark: SparkSession, source: random.Random) -> None:
    """Hide the empty tables behind temporary views with random rows."""
    rows = [tuple(map(source.choice, KINDS)) for _ in range(source.choice((1, 4, 8)))]
    values = ", ".join(f"({', '.join(row)})" for row in [*rows, *rows[:2]])
    spark.sql(
        "create or replace temp view t as select int(a) a, string(b) b,"
        f" cast(d as decimal(10, 2)) d from values {values} v(a, b, d)"
    )
    others = [(source.choice(KINDS[0]), source.choice(KINDS[1]), source.choice("012"))
              for _ in range(4)]  # fmt: skip
    values = ", ".join(f"({', '.join(row)})" for row in others)
    spark.sql(
        "create or replace temp view u as select int(a) a, string(e) e, int(k) k"
        f" from values {values} v(a, e, k)"
    )


def _rows(spark: SparkSession, text: str) -> Counter[Any]:
    frame = spark.sql(text)
    return Counter((row, tuple(frame.columns)) for row in frame.collect())


def _key(spark: SparkSession, text: str) -> str:
    plan = plan_of(spark.sql(text))
    assert not doubts(plan), (text, doubts(plan))
    return plan_keys(plan).whole


def _check(spark: SparkSession, groups: list[list[str]], databases: int) -> None:
    """Check that all queries of a group give the same result."""
    source = random.Random(38)
    try:
        for _ in range(databases):
            _fill(spark, source)
            for first, *others in groups:
                rows = _rows(spark, first)
                assert all(_rows(spark, other) == rows for other in others), (first, others)
    finally:
        spark.catalog.dropTempView("t")
        spark.catalog.dropTempView("u")


@pytest.mark.long
@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.long)])
def test_rewritten_queries_have_one_key_and_one_result(one_task: SparkSession, step: int) -> None:
    pairs = [list(pair) for pair in EQUAL]
    for one, other in pairs:
        assert _key(one_task, one) == _key(one_task, other), one
    _check(one_task, pairs[::step], 1)


@pytest.mark.long
@pytest.mark.parametrize(
    ("queries", "databases"), [(3, 1), pytest.param(150, 6, marks=pytest.mark.long)]
)
def test_mutants_with_equal_keys_have_one_result(
    one_task: SparkSession, queries: int, databases: int
) -> None:
    source, groups = random.Random(38), defaultdict[str, set[str]](set)
    for _ in range(queries):
        text = random_query(source)
        for each in (text, *mutants(text)):
            with suppress(AnalysisException):  # a mutant may be no query of Spark
                plan = plan_of(one_task.sql(each))
                if not doubts(plan):
                    groups[plan_keys(plan).whole].add(each)
    assert len(groups) > 4 * queries
    several = [sorted(texts) for texts in groups.values() if len(texts) > 1]
    _check(one_task, several, databases)


@pytest.mark.parametrize("name", one_in(6, CHANGED))
def test_a_changed_query_has_another_key(one_task: SparkSession, name: str) -> None:
    one, other = CHANGED[name]
    assert _key(one_task, one) != _key(one_task, other)


@pytest.mark.parametrize("name", one_in(6, DOUBTFUL))
def test_what_may_vary_is_doubtful(one_task: SparkSession, name: str) -> None:
    assert doubts(plan_of(one_task.sql(DOUBTFUL[name])))
