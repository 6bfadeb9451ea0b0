"""What-if answers on captured jobs never contradict a rerun without the deleted rows."""

from collections.abc import Callable, Collection, Iterable
from itertools import combinations

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import provhouse
from helpers.warehouse import House

BASE = {
    "orders": pa.table(
        {
            "k": [1, 2, 3, 4, 5, 6, 7, 8],
            "cust": ["ann", "ann", "ann", "bob", "bob", "cid", "cid", "dan"],
            "amount": [8, 7, -3, 9, -4, 6, 6, 30],
        }
    ),
    "customers": pa.table(
        {"k": ["ann", "bob", "cid", "dan", "eve"], "nation": ["A", "A", "B", "B", "B"]}
    ),
}
TOTALS = "SELECT cust k, sum(amount) total, count(*) n FROM orders GROUP BY cust"
JOBS = {
    "totals": TOTALS,
    "having": "SELECT cust k FROM orders GROUP BY cust HAVING sum(amount) > 11",
    "top": f"SELECT k, total FROM ({TOTALS}) ORDER BY total DESC, k LIMIT 2",
    "ranked": """SELECT k FROM (SELECT k, row_number() OVER
                 (PARTITION BY cust ORDER BY amount DESC, k) place FROM orders) WHERE place = 1""",
    "joined": "SELECT o.k, nation FROM orders o JOIN customers c ON o.cust = c.k",
    "nations": """SELECT nation k, sum(amount) total FROM orders o
                  JOIN customers c ON o.cust = c.k GROUP BY nation""",
    "with_total": f"SELECT o.k, total FROM orders o JOIN ({TOTALS}) t ON o.cust = t.k",
    "large_in": f"SELECT o.k FROM orders o JOIN ({TOTALS}) t ON o.cust = t.k WHERE total > 11",
    "anti": """SELECT k FROM customers c WHERE NOT EXISTS
               (SELECT 1 FROM orders o WHERE o.cust = c.k AND amount > 8)""",
    "semi": "SELECT k FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.cust = c.k)",
    "outer": """SELECT concat(c.k, '-', coalesce(o.k, 0)) k FROM customers c
                LEFT JOIN orders o ON o.cust = c.k""",
    "different": "SELECT DISTINCT amount k FROM orders",
    "both": "SELECT cust k FROM orders UNION SELECT k FROM customers",
    "by_total": f"SELECT total k, count(*) n FROM ({TOTALS}) GROUP BY total",
    "amounts": """SELECT cust k, count(*) n FROM (SELECT DISTINCT cust, amount FROM orders)
                  GROUP BY cust""",
    "above": "SELECT k FROM orders WHERE amount >= (SELECT avg(amount) FROM orders)",
    "less": """SELECT k FROM customers EXCEPT
               SELECT cust FROM orders GROUP BY cust HAVING sum(amount) > 11""",
    "large": "SELECT k FROM totals WHERE total > 11",
    "sums": "SELECT total k, count(*) n FROM totals GROUP BY total",
    "greeted": "SELECT k, total + 1 AS more FROM totals",
    "certain": "SELECT cust k, max(amount) FROM orders WHERE amount > 0 GROUP BY cust",
    "exists": """SELECT k, nation FROM customers c WHERE EXISTS
                 (SELECT 1 FROM orders o WHERE o.cust = c.k AND amount > 8)""",
    "within": "SELECT k FROM customers WHERE k IN (SELECT cust FROM orders WHERE amount > 6)",
    "scalar": "SELECT k, (SELECT max(amount) FROM orders) most FROM customers",
    "correlated": """SELECT k, (SELECT sum(amount) FROM orders o WHERE o.cust = c.k) total
                     FROM customers c""",
    "several": """SELECT k FROM customers c WHERE
                  (SELECT count(*) FROM orders o WHERE o.cust = c.k) > 1""",
    "windowed": "SELECT k, sum(amount) OVER (PARTITION BY cust) total FROM orders",
}  # fmt: skip
"""The SQL of each job, by the table that the job writes, in order of execution.

Later jobs may read the table ``totals``.
"""
NOT_ABOUT_ABSENCE = [name for name in JOBS if name not in ("top", "less", "anti", "above")]
"""The jobs whose output row can disappear only if a row from which it derives is deleted."""


DAILY = ("totals", "having", "anti", "different")
"""The jobs that the daily test checks."""


@pytest.fixture(scope="module")
def captured(
    houses: Callable[..., House], spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Iterable[str], str | None], House]:
    """Return a function that runs jobs as one captured block and returns the warehouse."""

    def run(names: Iterable[str], name_of_run: str | None) -> House:
        house, folder = houses(), tmp_path_factory.mktemp("jobs")
        for name, rows in BASE.items():
            pq.write_table(rows, folder / f"{name}.parquet")
            spark.read.parquet(str(folder / f"{name}.parquet")).createOrReplaceTempView(name)
        keys = dict.fromkeys((*BASE, *names), "k")
        with house.capture(keys=keys, run=name_of_run) as block:
            for name in names:
                spark.sql(JOBS[name]).coalesce(1).write.parquet(str(folder / name))
                spark.read.parquet(str(folder / name)).createOrReplaceTempView(name)
        assert block.report
        assert not block.report.error
        assert not block.report.refusals
        return house

    return run


def keys_without(deleted: Iterable[str], jobs: Iterable[str]) -> dict[str, set[str]]:
    """Run the jobs without the deleted rows; return the keys of the rows that each job wrote."""
    gone = set(deleted)
    with duckdb.connect() as database:
        for table, rows in BASE.items():
            kept = pa.array(f"{table}/{key}" not in gone for key in rows["k"].to_pylist())
            database.register(f"arrow_{table}", rows.filter(kept))
            database.execute(f"CREATE TABLE {table} AS FROM arrow_{table}")
        database.execute(f"CREATE TABLE totals AS {TOTALS}")
        return {
            name: {str(row[0]) for row in database.execute(JOBS[name]).fetchall()} for name in jobs
        }


def deletions(warehouse: provhouse.Warehouse, step: int) -> list[tuple[str, ...]]:
    """Return the deletions to try: single source rows of written rows, and some pairs of them."""
    every = (f"{table}/{key}" for table in BASE for key in BASE[table]["k"].to_pylist())
    rows = [row for row in every if warehouse.find(row).items]
    return [*((row,) for row in rows), *list(combinations(rows, 2))[::step]]


def check(
    warehouse: provhouse.Warehouse, jobs: Collection[str], step: int = 5
) -> set[tuple[str, str]]:
    """Compare each what-if answer with a rerun; return the fates that occurred, by table."""
    before, wrong, seen = keys_without((), jobs), [], set[tuple[str, str]]()
    for deleted in deletions(warehouse, step):
        after = keys_without(deleted, jobs)
        found = {
            (row.table, row.item.partition("/")[2].partition("@")[0]): row.fate
            for row in warehouse.what_if(*deleted).items
        }
        for table, key in ((name, key) for name in jobs for key in before[name]):
            fate = found.get((table, key), "unreached" if table in NOT_ABOUT_ABSENCE else "")
            seen.add((table, fate))
            held = key in after[table]
            claimed = {"dies": False, "undecided": held, "": held}.get(fate, True)
            if claimed != held:
                wrong.append((deleted, table, key, fate))
    assert not wrong, "\n".join(map(str, wrong))
    return seen


@pytest.mark.long
def test_fates_are_those_of_the_jobs_run_again(captured: Callable[..., House]) -> None:
    """The run has no name, so the descriptions of its operations do not name a job either."""
    with captured(DAILY, None).open() as warehouse:
        seen = check(warehouse, DAILY, step=11)
    assert {("different", "dies"), ("totals", "survives"), ("having", "undecided")} <= seen
    assert not {("totals", "undecided"), ("different", "undecided")} & seen


@pytest.mark.long
@pytest.mark.parametrize("run", [None, "jobs"])
def test_fates_of_many_jobs_are_those_of_the_jobs_run_again(
    captured: Callable[..., House], run: str | None
) -> None:
    with captured(JOBS, run).open() as warehouse:
        seen = check(warehouse, JOBS)
        changed = warehouse.what_if("orders/1").changed
    for table in ("totals", "certain", "different", "both", "amounts"):
        assert (table, "undecided") not in seen
    assert ("joined", "dies") in seen
    # a count of the rows that DISTINCT left
    assert "amounts" not in {each.table for each in changed}
