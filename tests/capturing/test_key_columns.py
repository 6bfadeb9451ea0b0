"""Key columns are resolved as Spark resolves names, and a wrong key affects only its own write."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import provhouse
from helpers.warehouse import House
from provhouse.model.errors import BadInput, ProvhouseError, UsageError

MAPPED = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"


@contextmanager
def exact_names(spark: SparkSession) -> Iterator[None]:
    """Let Spark distinguish column names by case."""
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        yield
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


def sources(house: House, *items: str) -> list[set[str]]:
    """Return, for each item, all items that it derives from, across all jobs."""
    with house.open() as warehouse:
        return [{each.item for each in warehouse.lineage(item).items} for item in items]


@pytest.mark.long
def test_keys_of_delta_tables_with_column_mapping(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    """Keys are found in a source, and in a table that a captured job wrote from this source.

    The jobs read the tables before and after columns are renamed.
    """
    house, orders, kept = houses(), tmp_path / "orders", tmp_path / "kept"
    spark.sql(f"CREATE TABLE delta.`{kept}` (id LONG, cust STRING) USING delta {MAPPED}")
    rows = "SELECT * FROM VALUES (1L, 'ann'), (2L, 'bob') AS rows(id, cust)"
    spark.sql(f"CREATE TABLE delta.`{orders}` USING delta {MAPPED} AS {rows}")
    keys = {"orders": "id", "kept": "id"}
    with house.capture(keys=keys) as run:
        spark.sql(f"INSERT INTO delta.`{kept}` SELECT * FROM delta.`{orders}`")
    for table in (orders, kept):
        spark.sql(f"ALTER TABLE delta.`{table}` RENAME COLUMN id TO ident")
        spark.sql(f"ALTER TABLE delta.`{table}` RENAME COLUMN cust TO id")
    with house.capture(keys={"orders": "ident", "kept": "ident", "report": "k", "other": "k"}):
        read = spark.read.format("delta")
        report = read.load(str(kept)).selectExpr("ident AS k", "id AS name")
        report.write.parquet(str(tmp_path / "report"))
        read.load(str(orders)).selectExpr("ident AS k").write.parquet(str(tmp_path / "other"))
    assert run.report
    chained, other = sources(house, "report/2", "other/2")
    assert chained == {f"kept/2@{run.report.writes[0].version}", "orders/2"}
    assert other == {"orders/2"}


@pytest.mark.long
def test_the_former_name_of_a_column_is_no_key(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    """The files of an older table still contain the former name."""
    table = tmp_path / "orders"
    spark.sql(f"CREATE TABLE delta.`{table}` USING delta AS SELECT 1 AS id, 2 AS small")
    spark.sql(f"ALTER TABLE delta.`{table}` SET {MAPPED}")
    spark.sql(f"ALTER TABLE delta.`{table}` RENAME COLUMN id TO ident")
    frame = spark.read.format("delta").load(str(table))
    with (
        pytest.raises(BadInput, match="orders has no column id, which is declared"),
        houses().capture(keys={"orders": "id"}),
    ):
        frame.write.parquet(str(tmp_path / "out"))


@pytest.mark.long
def test_case_of_key_columns(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    """Two files of a table spell the column differently; the declared key has a third spelling."""
    house, orders = houses(), tmp_path / "orders"
    orders.mkdir()
    pq.write_table(pa.table({"Id": [1, 2]}), orders / "1.parquet")
    pq.write_table(pa.table({"id": [3]}), orders / "2.parquet")
    frame = spark.read.parquet(str(orders))
    with house.capture(keys={"orders": "iD", "kept": "ID"}):
        frame.selectExpr("id AS Id").write.parquet(str(tmp_path / "kept"))
    with house.capture(keys={"kept": "id", "report": "k"}):
        kept = spark.read.parquet(str(tmp_path / "kept"))
        kept.selectExpr("id AS k").write.parquet(str(tmp_path / "report"))
    found = sources(house, "report/1", "report/3")
    assert [{each for each in one if each.startswith("orders")} for one in found] == [
        {"orders/1"},
        {"orders/3"},
    ]


@pytest.mark.long
def test_case_counts_if_spark_says_so(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    """The key is the column spelled in the same case. If no column is, this is an error."""
    pq.write_table(pa.table({"Id": [1, 2], "id": [8, 9]}), tmp_path / "orders.parquet")
    (tmp_path / "lines.csv").write_text("Id,id\n1,8\n2,9\n")
    house = houses()
    keys = {"orders": "id", "lines": "Id", "one": "k", "two": "k"}
    with exact_names(spark):
        orders = spark.read.parquet(str(tmp_path / "orders.parquet"))
        lines = spark.read.csv(str(tmp_path / "lines.csv"), header=True)
        with house.capture(keys=keys):
            orders.selectExpr("Id AS k").write.parquet(str(tmp_path / "one"))
            lines.selectExpr("id AS k").write.parquet(str(tmp_path / "two"))
        with pytest.raises(BadInput, match="no column ID"), house.capture(keys={"orders": "ID"}):
            orders.write.parquet(str(tmp_path / "three"))
        with pytest.raises(UsageError, match="no column ID"), house.capture(keys={"lines": "ID"}):
            lines.write.parquet(str(tmp_path / "four"))
    assert sources(house, "one/1", "two/9") == [{"orders/8"}, {"lines/2"}]
    with pytest.raises(BadInput, match="several columns id"), house.capture(keys={"orders": "id"}):
        spark.read.schema("other int").parquet(str(tmp_path / "orders.parquet")).write.parquet(
            str(tmp_path / "five")
        )


@pytest.mark.long
def test_a_wrong_key_keeps_out_one_write_and_what_builds_on_it(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    """Keys can be missing, repeated or NULL: in Parquet, in CSV and in marked rows."""
    house = houses()
    pq.write_table(pa.table({"id": [1, 2, 3], "two": [1, 1, None]}), tmp_path / "orders.parquet")
    (tmp_path / "lines.csv").write_text("id\n1\n1\n")
    orders = spark.read.parquet(str(tmp_path / "orders.parquet"))
    keys = {"orders": "id", "good": "id", "missing": "nothing", "repeated": "two", "null": "two"}
    keys |= {"built": "id", "lines": "id", "marked": "two", "marks": "id"}

    def out(name: str) -> str:
        return str(tmp_path / name)

    def job() -> None:
        with house.capture(keys=keys) as run:
            runs.append(run)
            orders.write.parquet(out("good"))
            orders.write.parquet(out("missing"))
            orders.where("id < 3").write.parquet(out("repeated"))
            orders.where("id > 1").write.parquet(out("null"))
            spark.read.parquet(out("repeated")).write.parquet(out("built"))
            orders.where("id = 1").write.mode("append").parquet(out("repeated"))
            spark.read.csv(out("lines.csv"), header=True).write.parquet(out("read"))
            run.mark(orders, "marked").write.parquet(out("marks"))
            orders.write.mode("append").parquet(out("last"))

    runs: list[provhouse.Capture] = []
    with pytest.raises(BadInput, match="no column nothing") as error:
        job()
    assert "the other 2 writes were ingested" in error.value.found
    report = runs[0].report
    assert report
    assert [each.table for each in report.writes] == ["good", "last"]
    assert [(each.table, each.problem.split(str(tmp_path))[0]) for each in report.kept_out] == [
        ("missing", ""),
        ("repeated", "The key of repeated is not unique"),
        ("null", "The key of null is NULL in 1 of its rows"),
        ("built", "The key of repeated is not unique"),
        ("repeated", "It derives from a write that was not ingested"),
        ("read", "The key of lines is not unique"),
        ("marks", "The key of marked is NULL in 1 of the marked rows"),
    ]
    assert sources(house, "good/2") == [{"orders/2"}]
    folder = next(iter(house.layout.captured.iterdir()))
    right = {name: "id" for name in keys if name not in ("lines", "marked")}
    with house.open() as warehouse, pytest.raises(ProvhouseError, match="lines"):
        warehouse.ingest_captured(folder, keys=right)
    assert sources(house, "missing/2", "null/3", "good/2") == [
        {"orders/2"},
        {"orders/3"},
        {"orders/2"},
    ]
    with house.open() as warehouse:
        made = {each.item for each in warehouse.lineage("built/1").items}
    assert made > {"orders/1"}


@pytest.mark.long
def test_one_name_for_two_formats_is_refused(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    """Table names have no ending such as ``.csv``, so both rows would be named ``orders/1``."""
    (tmp_path / "orders.csv").write_text("id\n1\n")
    (tmp_path / "orders.json").write_text('{"id": 1}\n')
    house = houses()

    def job() -> None:
        with house.capture(keys={"orders": "id"}):
            lines = spark.read.csv(str(tmp_path / "orders.csv"), header=True)
            lines.write.parquet(str(tmp_path / "a"))
            spark.read.json(str(tmp_path / "orders.json")).write.parquet(str(tmp_path / "b"))

    with pytest.raises(UsageError, match="Two sources are named orders"):
        job()
    assert not house.layout.commits.exists()
