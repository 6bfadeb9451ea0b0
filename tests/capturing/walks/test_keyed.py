"""Cursors over CSV, JSON and text files, whose rows are found by a declared key."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import provhouse
from helpers.warehouse import House
from provhouse.capturing.walks.cursor import Cursor
from provhouse.model.errors import BadInput, UsageError

ORDERS = [(number, "abcd"[number * 7 % 4], number % 5) for number in range(60)]
KEYS = {
    "orders": "id", "people": "name", "totals": "name", "best": "name", "pairs": ["a", "b"],
    "copy": "name",
}  # fmt: skip
FOLDER = "a földer, 1"
"""A folder name with characters that are escaped in the folder's URL."""
SPLIT = "spark.sql.files.maxPartitionBytes"
Read = Callable[[str], DataFrame]


@pytest.fixture(scope="module", autouse=True)
def small_splits(spark: SparkSession) -> Iterator[None]:
    """Let Spark read each file in several splits."""
    spark.conf.set(SPLIT, "150")
    yield
    spark.conf.unset(SPLIT)


def sources(spark: SparkSession, folder: Path) -> Read:
    """Write orders as CSV and people as JSON; return a function that reads a table by its name."""
    orders = spark.createDataFrame(ORDERS, "id int, name string, price int")
    orders.coalesce(2).write.csv(str(folder / "orders"), header=True, sep=";")
    people = spark.createDataFrame(
        [(name, name.upper()) for name in "abce"], "name string, t string"
    )
    people.coalesce(1).write.json(str(folder / "people"))

    def read(name: str) -> DataFrame:
        if name == "orders":
            schema = "id int, name string, price int"
            return spark.read.csv(str(folder / name), schema=schema, header=True, sep=";")
        return spark.read.json(str(folder / name), schema="name string, t string")

    return read


@dataclass(frozen=True)
class Written:
    """The block that has written all tables, its warehouse, and a count taken inside the block."""

    house: House
    run: provhouse.Capture
    inside: int


@pytest.fixture(scope="module")
def written(
    houses: Callable[..., House], spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Written:
    """Write all tables in one block, because an ingest takes most of the time of a test."""
    house, folder = houses(), tmp_path_factory.mktemp("tables") / FOLDER
    read = sources(spark, folder)
    with house.capture(keys=KEYS) as run:
        joined = read("orders").where("price > 0").join(read("people"), "name")
        totals = joined.groupBy("name", "t").sum("price").toDF("name", "t", "total")
        totals.write.csv(str(folder / "totals"), header=True)
        again = spark.read.csv(str(folder / "totals"), header=True)
        again.where("name <> 'b'").select("name").write.parquet(str(folder / "best"))
        twice = read("orders").alias("x").join(read("orders").alias("y"), "price")
        two = twice.where("x.id + 5 = y.id").selectExpr("x.id AS a", "y.id AS b")
        two.coalesce(1).write.json(str(folder / "pairs"))
        read("people").limit(3).write.parquet(str(folder / "copy"))
        inside = run.trace("best").where("name = 'a'").go_back_all().count()
    return Written(house, run, inside)


def found(cursor: Cursor, table: str, *names: str) -> set[tuple[object, ...]]:
    """Return the columns ``names`` of the records of one table."""
    return {tuple(row[name] for name in names) for row in cursor.of(table).records().collect()}


def of(name: str) -> set[tuple[object, ...]]:
    """Return the orders of one person that have a price."""
    return {(number,) for number, other, price in ORDERS if other == name and price}


@pytest.mark.long
@pytest.mark.parametrize("few", [1000, pytest.param(0, marks=pytest.mark.long)])
def test_rows_are_traced_through_files_without_numbers(
    written: Written, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    house, run = written.house, written.run
    assert written.inside == 1 + len(of("a"))
    monkeypatch.setattr("provhouse.capturing.walks.cursor_ids.FEW", few)
    monkeypatch.setattr("provhouse.capturing.walks.cursor_ids.HELD", few)
    row = run.trace("best").where("name = 'a'")
    assert found(row.go_back(), "totals", "name", "t") == {("a", "A")}
    sources = row.go_back_all()
    assert found(sources, "orders", "id") == of("a")
    assert found(sources, "people", "name") == {("a",)}
    some = run.trace("orders").where("id = 24")
    ends = some.go_next_all()
    assert found(ends, "best", "name") == {("a",)}
    assert found(ends, "pairs", "a", "b") == {(19, 24), (24, 29)}
    both = run.trace("pairs").where("a = 19").go_back_all()
    assert found(both, "orders", "id") == {(19,), (24,)}
    assert found(both & some, "orders", "id") == {(24,)}
    with house.open() as warehouse:
        items = {item.item for item in warehouse.lineage("totals/a").items}
    assert {item for item in items if item.startswith("orders/")} == {
        f"orders/{number}" for (number,) in of("a")
    }


@pytest.mark.long
def test_a_row_of_any_source_is_shown(written: Written, capsys: pytest.CaptureFixture[str]) -> None:
    written.run.trace("copy").where("name = 'b'").go_back_all().show()
    assert "|b   |B  |" in capsys.readouterr().out


@pytest.mark.long
def test_files_with_the_rows_are_read_and_must_be_as_they_were(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    folder = tmp_path / FOLDER
    read = sources(spark, folder)
    with houses().capture(keys={"orders": "id", "copy": "id"}) as run:
        read("orders").write.parquet(str(folder / "copy"))
    one = run.trace("copy").where("id = 17").go_back()
    (place,) = one.ids().collect()
    for path in (folder / "orders").glob("part-*.csv"):
        if str(path) != place["file"]:
            path.unlink()
    assert found(one, "orders", "id", "price") == {(17, 2)}
    with Path(place["file"]).open("a") as file:
        file.write("60;a;1\n")
    for cursor in (one, run.trace("orders").where("id = 17")):
        with pytest.raises(BadInput, match="is not the file that the job read"):
            cursor.records()


@pytest.mark.long
def test_a_record_that_its_key_does_not_find_is_an_error(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    names = spark.createDataFrame([(" a",), ("b",)], "name string")
    names.coalesce(1).write.parquet(str(tmp_path / "names"))
    with houses().capture(keys={"names": "name", "texts": "name"}) as run:
        # Spark removes a space at the beginning of a field.
        spark.read.parquet(str(tmp_path / "names")).write.csv(str(tmp_path / "texts"))
    rows = run.trace("names")
    assert found(rows.where("name = 'b'").go_next(), "texts", "name") == {("b",)}
    with pytest.raises(BadInput, match="Records of texts cannot be found by their keys"):
        rows.where("name = ' a'").go_next().records()
    with pytest.raises(PySparkException, match="A record of texts is not found by its key"):
        run.trace("texts").where("name = 'b'").count()


@pytest.mark.long
def test_a_table_in_partitions_is_traced_as_a_whole(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    folder = tmp_path / FOLDER
    read = sources(spark, folder)
    with houses().capture(keys={"orders": "id", "copy": "id", "end": "id"}) as run:
        for condition in ("id < 30", "id >= 30"):
            some = read("orders").where(condition)
            some.write.mode("append").partitionBy("name").csv(str(folder / "copy"))
        read("orders").select("id").write.parquet(str(folder / "end"))
    row = run.trace("copy").where("id = 33")
    assert found(row, "copy", "id", "name", "price") == {(33, "d", 3)}
    assert found(row.go_back_all(), "orders", "id") == {(33,)}
    assert [each["file"] for each in row.ids().collect()] == [str(folder / "copy")]
    ends = run.trace("orders").where("id IN (3, 33)").go_next_all()
    assert found(ends, "copy", "id") == found(ends, "end", "id") == {(3,), (33,)}


@pytest.mark.long
def test_what_reads_a_table_in_partitions_is_refused(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    folder = tmp_path / FOLDER
    read = sources(spark, folder)
    with houses().capture(keys={"orders": "id", "parts": "id", "end": "id"}) as run:
        read("orders").write.partitionBy("name").csv(str(folder / "parts"))
        again = spark.read.schema("id int").csv(str(folder / "parts"))
        again.select("id").write.parquet(str(folder / "end"))
    with pytest.raises(UsageError, match="the block has written them in partitions"):
        run.trace("end")
