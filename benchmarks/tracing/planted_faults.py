"""Search for the smallest failing inputs of programs with 3 to 8 operators and planted faults."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from pyspark.sql import DataFrame, SparkSession

import provhouse
from benchmarks.tracing.walks import Fault
from provhouse.captured_block import Capture
from provhouse.capturing.walks.smallest import Smallest

Tables = Mapping[str, DataFrame]
Store = Callable[[list[Any], Any], None]
"""A function that adds a measurement to a given list in the results, and stores the results."""
ALIKE = 30_000
"""Events whose ids differ by this number have the same kind and day.

They also have the same user if there are 10,000 users.
"""
KEYS = {"events": "id", "users": "user", "countries": "country"}
MEASURES = (
    "avg(v) AS mean, min(v) AS least, count_if(v IS NULL) AS nulls, count_if(v > 100000) AS large"
)
TESTS = {
    "one value is too large": "mean > 1000",
    "one value is negative": "least < 0",
    "one value is NULL": "nulls > 0",
    "two values are large": "large >= 2",
}
"""The planted faults, each with a condition that is true for the wrong row of a result."""


@dataclass(frozen=True)
class Program:
    """A query on views of the tables, and the number of its operators."""

    name: str
    operators: int
    sql: str


PROGRAMS = (
    Program("by_kind", 3, f"SELECT kind AS g, {MEASURES} FROM (SELECT kind, value AS v FROM events "
            "WHERE day < 29) GROUP BY kind"),
    Program("by_country", 4, f"SELECT country AS g, {MEASURES} FROM (SELECT country, value * "
            "factor AS v FROM events JOIN users USING (user) WHERE day < 29) GROUP BY country"),
    Program("by_region", 5, f"SELECT region AS g, {MEASURES} FROM (SELECT region, value * factor * "
            "rate AS v FROM events JOIN users USING (user) JOIN countries USING (country) "
            "WHERE day < 29) GROUP BY region"),
    Program("means", 6, f"SELECT country AS g, {MEASURES} FROM (SELECT country, m * rate AS v "
            "FROM (SELECT user, kind, avg(value * factor) AS m FROM events JOIN users USING (user) "
            "WHERE day < 29 GROUP BY user, kind) JOIN users USING (user) "
            "JOIN countries USING (country)) GROUP BY country"),
    Program("known", 8, f"SELECT region AS g, {MEASURES} FROM (SELECT region, m * rate AS v FROM "
            "(SELECT user, day, avg(value * factor) AS m FROM events JOIN users USING (user) WHERE "
            "kind IN (SELECT kind FROM events WHERE value > 2) GROUP BY user, day) JOIN users "
            "USING (user) JOIN countries USING (country) WHERE rate > 0) GROUP BY region"),
)  # fmt: skip
"""Programs of filters, projections, joins, semi joins and aggregates; each operator is counted."""


def write_tables(spark: SparkSession, folder: Path, rows: int) -> None:
    """Write events with planted faults, users and countries."""
    other = 4004 + ALIKE * max(1, 3 * rows // (10 * ALIKE))
    assert other < rows, f"At least {4005 + ALIKE:,} rows"
    value = (
        "CASE id WHEN 1001 THEN 1e9 WHEN 2002 THEN -5.0 WHEN 3003 THEN NULL WHEN 4004 THEN 2e5 "
        f"WHEN {other} THEN 2e5 ELSE 1.0 + pmod(hash(id), 1000) / 10.0 END"
    )
    users = max(10_000, rows)  # so that no mean of a user hides a fault
    columns = ("id", f"id * 7919 % {users} AS user", "id % 500 AS kind", "id % 30 AS day")
    events = spark.range(rows).selectExpr(*columns, f"double({value}) AS value")
    known = spark.range(users).selectExpr("id AS user", "id % 100 AS country", "1.0D AS factor")
    countries = spark.range(100).selectExpr("id AS country", "id % 10 AS region", "1.0D AS rate")
    for name, frame in (("events", events), ("users", known), ("countries", countries)):
        frame.coalesce(2).write.parquet(str(folder / name))


def planted(
    spark: SparkSession, folder: Path, rows: int, most: int, found: list[Fault], store: Store
) -> None:
    """Measure the search for up to ``most`` planted faults, except those that are in ``found``."""
    wanted = [(program, name) for program in PROGRAMS for name in TESTS][:most]
    known = {(each["program"], each["fault"]) for each in found}
    missing = [(program, name) for program, name in wanted if (program.name, name) not in known]
    if not missing:
        return
    write_tables(spark, folder / "tables", rows)
    tables = {name: spark.read.parquet(str(folder / "tables" / name)) for name in KEYS}
    for program in dict.fromkeys(program for program, _ in missing):
        run = captured(spark, folder, program, tables)
        for each, name in missing:
            if each is program:
                store(found, blamed(run, program, name, TESTS[name], tables))
        run.close()


def captured(spark: SparkSession, folder: Path, program: Program, tables: Tables) -> Capture:
    """Write the result of a program, and return its block."""
    keys = {name: key for name, key in KEYS.items() if f" {name}" in program.sql}
    with provhouse.capture(spark, folder / "faults", keys={**keys, program.name: "g"}) as run:
        of(program, tables).write.parquet(str(folder / program.name))
    return run


def of(program: Program, tables: Tables) -> DataFrame:
    """Return the result of a program on some tables."""
    for name, frame in tables.items():
        frame.createOrReplaceTempView(name)
    return tables["events"].sparkSession.sql(program.sql)


def blamed(run: Capture, program: Program, name: str, test: str, tables: Tables) -> Fault:
    """Find the smallest input of a row that is wrong according to a test."""
    row = run.trace(program.name).where(test)
    group = row.records().orderBy("g").first()
    assert group
    row = row.where(f"g = {group['g']}")
    begun = perf_counter()
    found = run.smallest(row, test=test)
    seconds = perf_counter() - begun
    return {
        "program": program.name,
        "operators": program.operators,
        "fault": name,
        "lineage": found.lineage,
        "found": found.rows.count(),
        "replays": found.replays,
        "seconds": round(seconds, 2),
        "minimal": is_minimal(found, program, f"g = {group['g']} AND ({test})", tables),
    }


def is_minimal(found: Smallest, program: Program, wrong: str, tables: Tables) -> bool:
    """Return whether the result is wrong for the records, but right without any one of them."""
    kept = {name: _only(found, name, frame) for name, frame in tables.items()}

    def goes_wrong(some: Tables) -> bool:
        return bool(of(program, some).where(wrong).head(1))

    if not goes_wrong(kept):
        return False
    for name, frame in kept.items():
        for row in frame.collect():
            if goes_wrong({**kept, name: frame.where(f"{KEYS[name]} <> {row[KEYS[name]]}")}):
                return False
    return True


def _only(found: Smallest, name: str, frame: DataFrame) -> DataFrame:
    rows = found.rows.of(name)
    if not rows.count():
        return frame.limit(0)
    spark = frame.sparkSession
    return spark.createDataFrame(rows.records().collect(), frame.schema)
