"""``run.smallest`` finds the records to blame, as runs on tables without each record confirm."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F

from helpers.warehouse import House
from provhouse import faults
from provhouse.capturing.walks.fault_tests import Test
from provhouse.capturing.walks.smallest import Smallest
from provhouse.model.errors import UsageError

KEYS = {"flights": "id", "planes": "plane", "legs": "id", "report": "carrier"}


@dataclass(frozen=True)
class Airport:
    """The flights and planes of an airport, and the report on them."""

    spark: SparkSession
    folder: Path

    def write(self) -> None:
        """Write both tables. The delays of AA have an outlier, and BB has a plane without seats."""
        delay = "CASE WHEN id = 3001 THEN 9000.0 ELSE id % 17 END AS delay"
        carrier = "element_at(array('AA', 'BB', 'CC'), int(id % 3) + 1) AS carrier"
        flights = self.spark.range(6000).selectExpr("id", carrier, "id % 40 AS tail", delay)
        flights.repartition(2).write.parquet(str(self.folder / "flights"))
        seats = "CASE WHEN id = 7 THEN 0 ELSE 100 END AS seats"
        self.spark.range(40).selectExpr("id AS plane", seats).coalesce(1).write.parquet(
            str(self.folder / "planes")
        )

    @property
    def tables(self) -> dict[str, DataFrame]:
        """The flights and the planes, as data frames by name."""
        names = ("flights", "planes")
        return {name: self.spark.read.parquet(str(self.folder / name)) for name in names}

    def only(self, found: Smallest) -> dict[str, DataFrame]:
        """Return the tables, cut to the records that were found."""
        every = self.tables
        for name in every:
            rows = found.rows.of(name)
            every[name] = rows.records() if rows.count() else every[name].limit(0)
        return every


def legs(tables: Mapping[str, DataFrame]) -> DataFrame:
    return tables["flights"].join(tables["planes"], F.col("tail") == F.col("plane"))


def report(legs: DataFrame) -> DataFrame:
    return legs.groupBy("carrier").agg(
        F.avg("delay").alias("delay"), F.expr("min(delay / nullif(seats, 0))").alias("least"),
        F.count("*").alias("count"), F.min("seats").alias("seats"),
    )  # fmt: skip


@pytest.fixture(scope="module")
def airport(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Airport:
    made = Airport(spark, tmp_path_factory.mktemp("airport"))
    made.write()
    return made


def check(
    airport: Airport,
    found: Smallest,
    program: Callable[[Mapping[str, DataFrame]], DataFrame],
    wrong: str,
) -> None:
    """Fail unless the program is wrong on the records, and right on the records without any one."""
    tables = {name: frame.cache() for name, frame in airport.only(found).items()}
    assert program(tables).where(wrong).count()
    for name, frame in tables.items():
        key = KEYS[name]
        for row in frame.collect():
            less = {**tables, name: frame.where(F.col(key) != row[key])}
            assert not program(less).where(wrong).count(), row
    for frame in tables.values():
        frame.unpersist()


@pytest.mark.long
def test_the_flight_and_the_plane_to_blame_are_found_through_two_writes(
    houses: Callable[..., House], airport: Airport, tmp_path: Path
) -> None:
    spark = airport.spark
    with houses().capture(keys=KEYS) as run:
        legs(airport.tables).write.parquet(str(tmp_path / "legs"))
        made = report(spark.read.parquet(str(tmp_path / "legs")))
        made.write.parquet(str(tmp_path / "report"))

    row = run.trace("report").where("carrier = 'BB'")
    found = run.smallest(row, test=faults.outside("delay", high=9.0))
    assert [each["id"] for each in found.rows.of("flights").records().collect()] == [3001]
    assert [each["plane"] for each in found.rows.of("planes").records().collect()] == [1]
    assert found.lineage == 2000 + 40
    assert found.replays <= 8
    wrong = "carrier = 'BB' AND delay > 9"
    check(airport, found, lambda tables: report(legs(tables)), wrong)

    with pytest.raises(UsageError, match="is not wrong"):
        run.smallest(row, test=faults.null("delay"))
    with pytest.raises(UsageError, match="one row"):
        run.smallest(run.trace("report"), test="delay > 1")
    with pytest.raises(UsageError, match="one row"):
        run.smallest(run.trace("flights").where("id = 1"), test="delay > 1")


@pytest.mark.long
def test_groups_of_records_are_found_by_functions_of_a_row(
    houses: Callable[..., House], airport: Airport, tmp_path: Path
) -> None:
    keys = {name: key for name, key in KEYS.items() if name != "legs"}
    with houses().capture(keys=keys) as run:
        report(legs(airport.tables)).write.parquet(str(tmp_path / "report"))
    row = run.trace("report").where("carrier = 'BB'")
    found = run.smallest(row, test=lambda row: row["seats"] == 0)
    assert [each["plane"] for each in found.rows.of("planes").records().collect()] == [7]
    assert found.rows.of("flights").count() == 1
    assert found.replays <= 40
    check(airport, found, lambda tables: report(legs(tables)), "carrier = 'BB' AND seats = 0")

    few = run.smallest(row, test=faults.refused(at_most_two))
    assert few.rows.of("flights").count() == 3
    wrong = "carrier = 'BB' AND count > 2"
    check(airport, few, lambda tables: report(legs(tables)), wrong)


def at_most_two(row: Row) -> None:
    assert row["count"] <= 2


@pytest.mark.long
def test_the_record_that_makes_a_job_fail_is_found(
    houses: Callable[..., House], airport: Airport, tmp_path: Path
) -> None:
    def program(tables: Mapping[str, DataFrame]) -> DataFrame:
        return (
            legs(tables).selectExpr("carrier", "delay DIV seats AS each").groupBy("carrier").sum()
        )

    failing = program(airport.tables)
    keys = {name: KEYS[name] for name in airport.tables}
    with houses().capture(keys=keys) as run:
        with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
            failing.write.parquet(str(tmp_path / "failing"))
        found = run.smallest(failing, test=faults.raises("DIVIDE_BY_ZERO"))
        assert [each["plane"] for each in found.rows.of("planes").records().collect()] == [7]
        (flight,) = found.rows.of("flights").records().collect()
        assert flight["tail"] == 7
        tables = airport.only(found)
        with pytest.raises(Exception, match="DIVIDE_BY_ZERO"):
            program(tables).collect()
        for name in tables:
            program({**tables, name: tables[name].limit(0)}).collect()
        with pytest.raises(UsageError, match="only for an error"):
            run.smallest(failing, test="each > 1")


@pytest.mark.long
def test_ready_tests_are_conditions(spark: SparkSession) -> None:
    frame = spark.createDataFrame(
        [(n, 1.0 if n else 100.0) for n in range(30)], "n int, `a b` double"
    )
    tests: dict[str, Test] = {
        "outlier": faults.far(frame, "a b"),
        "range": faults.outside("a b", 0.0, 99.0),
    }
    for name, test in tests.items():
        assert isinstance(test, str)
        assert [row["n"] for row in frame.where(test).collect()] == [0], name
    assert frame.where(faults.null("a b")).count() == 0
    with pytest.raises(UsageError, match="no standard deviation"):
        faults.far(frame.where("n > 3"), "a b")
    with pytest.raises(UsageError, match="no limit"):
        faults.outside("n")
