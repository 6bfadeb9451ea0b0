"""In writes whose rows have no row numbers, such as CSV, declared keys connect jobs' lineage."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from helpers.shop import ORDERS, write_shop
from helpers.warehouse import House
from provhouse.model.errors import BadInput, UsageError

DERBY = "jdbc:derby:memory:keyed;create=true"
NUMBERS = [order.id for order in ORDERS]


def csv(rows: DataFrame, folder: Path, mode: str) -> None:
    """Write rows as CSV, in folders of partitions and with several files from each task."""
    writer = rows.repartition(2).write.mode(mode).option("header", True)
    writer.option("maxRecordsPerFile", 1).partitionBy("cust").csv(str(folder / "a csv"))


def text(rows: DataFrame, folder: Path, mode: str) -> None:
    rows.select(F.col("id").cast("string").alias("value")).write.mode(mode).text(
        str(folder / "text.txt")
    )


WRITES: dict[str, Callable[[DataFrame, Path, str], None]] = {
    "a csv": csv,
    "json": lambda rows, folder, mode: rows.write.mode(mode).json(str(folder / "json")),
    "orc": lambda rows, folder, mode: rows.write.mode(mode).orc(str(folder / "orc")),
    "text": text,
    "jdbc": lambda rows, _, mode: rows.coalesce(2).write.mode(mode).jdbc(DERBY, "jdbc"),
}
READS: dict[str, Callable[[SparkSession, Path], DataFrame]] = {
    "a csv": lambda spark, folder: spark.read.csv(str(folder / "a csv"), header=True),
    "json": lambda spark, folder: spark.read.json(str(folder / "json")),
    "orc": lambda spark, folder: spark.read.orc(str(folder / "orc")),
    "text": lambda spark, folder: spark.read.text(str(folder / "text.txt")).toDF("value"),
    "jdbc": lambda spark, _: spark.read.jdbc(DERBY, "jdbc"),
}
KEYS = {
    **dict.fromkeys(WRITES, "id"),
    "text": "value",
    **{f"{name} copy": "rest" for name in WRITES},
}


FEW = ("a csv",)
"""The table that the short test uses. ``make test-long`` tests all tables."""


class Job:
    """Jobs that write tables and then copy the tables group by group, and a model of the rows."""

    def __init__(self, house: House, folder: Path, names: Iterable[str]) -> None:
        self._house, self._folder, self._spark = house, folder, house.session
        self.made: dict[str, dict[int, int]] = {name: {} for name in names}
        """By table and row number: the version of each row that is in the table now."""

    def run(self, numbers: Iterable[int], mode: str) -> dict[str, int]:
        """Write rows to the tables, then copy each complete table group by group.

        Return the version of each write, by table.
        """
        orders = self._spark.read.parquet(str(self._folder / "orders"))
        rows = orders.where(F.col("id").isin(*numbers)).select("id", "cust")
        keys = {name: key for name, key in KEYS.items() if name.removesuffix(" copy") in self.made}
        with self._house.capture(keys={**keys, "orders": "id"}, run=mode) as run:
            for name in self.made:
                WRITES[name](rows, self._folder, mode)
                self._copy(name)
        assert run.report
        versions = {each.table: each.version for each in run.report.writes}
        for name in self.made:
            kept = {} if mode == "overwrite" else self.made[name]
            self.made[name] = {**kept, **dict.fromkeys(numbers, versions[name])}
        return versions

    def _copy(self, name: str) -> None:
        read = READS[name](self._spark, self._folder)
        rest = (F.col(KEYS[name]).cast("int") % 3).alias("rest")
        grouped = read.groupBy(rest).count()
        grouped.write.mode("overwrite").parquet(str(self._folder / f"{name} copy"))

    def expected(self, name: str, rest: int) -> set[str]:
        """Return all items that the row of a group derives from."""
        rows = {number: made for number, made in self.made[name].items() if number % 3 == rest}
        return {f"{name}/{number}@{made}" for number, made in rows.items()} | {
            f"orders/{number}" for number in rows
        }


@pytest.mark.long
@pytest.mark.parametrize(
    "names", [FEW, pytest.param((*WRITES,), marks=pytest.mark.long)], ids=["few", "all"]
)
def test_a_job_finds_the_rows_that_an_earlier_job_has_written(
    names: tuple[str, ...], houses: Callable[..., House], tmp_path: Path
) -> None:
    """Jobs overwrite, append and overwrite again. Each job also reads the rows that it wrote."""
    write_shop(tmp_path)
    house = houses()
    job = Job(house, tmp_path, names)
    jobs = [(NUMBERS[:6], "overwrite"), (NUMBERS[6:], "append"), ([1, 2, 5], "overwrite")]
    for numbers, mode in jobs[: 2 if names == FEW else 3]:
        versions = job.run(numbers, mode)
        with house.open() as warehouse:
            for name in names:
                for rest in range(3):
                    expected = job.expected(name, rest)
                    copied = f"{name} copy/{rest}@{versions[f'{name} copy']}"
                    if expected:
                        found = {each.item for each in warehouse.lineage(copied).items}
                        assert found == expected, (name, mode)
    house.check()


def nothing_landed(house: House) -> bool:
    """Return whether the warehouse has no lineage at all."""
    return not house.layout.commits.exists()


@pytest.mark.parametrize(
    ("key", "found"),
    [(["cust", "small"], "NULL"), pytest.param("cust", "NULL", marks=pytest.mark.long)],
)
def test_a_key_with_null_is_refused(
    key: str, found: str, houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    write_shop(tmp_path)
    house, orders = houses(), spark.read.parquet(str(tmp_path / "orders"))
    with pytest.raises(BadInput, match=found), house.capture(keys={"out": key}):
        orders.write.json(str(tmp_path / "out"))
    assert nothing_landed(house)


def test_a_key_that_two_rows_have_is_refused(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    write_shop(tmp_path)
    house, customers = houses(), spark.read.parquet(str(tmp_path / "customers"))
    with pytest.raises(BadInput, match="not unique"), house.capture(keys={"out": "name"}):
        customers.where("name IS NOT NULL").write.csv(str(tmp_path / "out"))
    assert nothing_landed(house)


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        ({"out": "list"}, "Its type is array<bigint>"),
        ({"out": "nothing"}, "no column nothing"),
    ],
)
def test_what_cannot_be_a_key_is_refused_before_spark_writes(
    keys: dict[str, str],
    found: str,
    houses: Callable[..., House],
    spark: SparkSession,
    tmp_path: Path,
) -> None:
    write_shop(tmp_path)
    orders = spark.read.parquet(str(tmp_path / "orders"))
    with pytest.raises(UsageError, match=found), houses().capture(keys=keys):
        orders.withColumn("list", F.array("id")).write.orc(str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


@pytest.mark.long
def test_keys_that_are_read_as_another_text_are_refused(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    """The string 007 is read as the number 7, but no captured row has the key 7."""
    write_shop(tmp_path)
    house, path = houses(), str(tmp_path / "agents")
    keys = {"orders": "id", "agents": "agent"}
    orders = spark.read.parquet(str(tmp_path / "orders"))
    with house.capture(keys=keys):
        orders.select(F.format_string("%03d", "id").alias("agent")).write.csv(path, header=True)
    generation = house.commit.generation
    wrong = spark.read.csv(path, header=True, inferSchema=True)
    with pytest.raises(BadInput, match="cannot be found by their keys"), house.capture(keys=keys):
        wrong.write.parquet(str(tmp_path / "copy"))
    assert house.commit.generation == generation
    other = spark.read.schema("other string").csv(path, header=True)
    with pytest.raises(UsageError, match="another key"), house.capture(keys={"agents": "other"}):
        other.write.parquet(str(tmp_path / "more"))
