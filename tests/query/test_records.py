"""The records of items are the rows that captured jobs read and wrote, or are missing."""

import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from rich.console import Console
from typer.testing import CliRunner

from helpers.shop import CUSTOMERS, ORDERS, write_shop
from helpers.warehouse import House
from provhouse.cli.app import app
from provhouse.model.errors import UsageError
from provhouse.model.question import Question
from provhouse.output import writer
from provhouse.output.results.record_tables import RecordsResult
from provhouse.query.source_records import CapturedRecords, TableRecords, records

KEYS = {"orders": "id", "totals": "cust"}
pytestmark = pytest.mark.long  # its short form is in tests/ingest/landing/test_land.py
SCHEMAS = Path(writer.__file__).with_name("schemas")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the shop's tables."""
    folder = tmp_path_factory.mktemp("shop")
    write_shop(folder)
    return folder


@pytest.fixture(scope="module")
def house(houses: Callable[..., House], shop: Path, spark: SparkSession) -> House:
    """A warehouse with two captured writes, of which the second reads the rows of the first."""
    house = houses()
    orders = spark.read.parquet(str(shop / "orders"))
    named = spark.read.parquet(str(shop / "customers")).withColumnRenamed("name", "cust")
    joined = orders.join(named, "cust").groupBy("cust").agg(F.sum("id").alias("total"))
    first = str(shop / "1" / "totals")
    with house.capture(keys=KEYS):
        joined.write.parquet(first)
        again = spark.read.parquet(first).selectExpr("cust", "total + 1 AS total")
        again.write.partitionBy("total").parquet(str(shop / "2" / "totals"))
    return house


def ask(house: House, item: str, most: int = 1000, **filters: object) -> CapturedRecords:
    with house.asker() as asker:
        answer = asker.answer(Question(item, "upstream", **filters))  # type: ignore[arg-type]
    return records(house.layout, answer, most)


def by_table(found: CapturedRecords) -> dict[str, TableRecords]:
    return {table.table: table for table in found.tables}


def test_records_are_the_rows_of_the_sources(house: House) -> None:
    """Records of ``orders`` are found by key, and records of ``customers`` by row ID."""
    found = by_table(ask(house, "totals/ann", ends=True))
    values = [record.values for record in found["orders"].records]
    assert values == [order._asdict() for order in ORDERS if order.cust == "ann"]
    items = [record.item for record in found["orders"].records]
    assert items == ["orders/1", "orders/3", "orders/9"]
    (customer,) = found["customers"].records
    assert customer.values == CUSTOMERS[0]._asdict()
    assert not any(table.missing or table.lost for table in found.values())


def test_records_of_versions_are_those_of_their_writes(house: House) -> None:
    """The file of the second write lacks the column that is stored in its folder names."""
    (totals,) = ask(house, "totals/ann", tables=("totals",)).tables
    total = sum(order.id for order in ORDERS if order.cust == "ann")
    assert [record.values for record in totals.records] == [{"cust": "ann", "total": total}]
    with house.open() as warehouse:
        answer = warehouse.impact("orders/1")
        tables = warehouse.records(answer).tables
    values = [record.values for table in tables for record in table.records]
    assert values == [{"cust": "ann", "total": total}, {"cust": "ann", "total": str(total + 1)}]


def test_more_items_than_the_limit_are_counted(house: House) -> None:
    found = ask(house, "totals/ann", ends=True, most=2)
    assert sum(len(table.records) for table in found.tables) == 2
    assert found.more == 2
    assert "2 more items without their records" in printed(found)


def test_only_row_groups_with_the_rows_are_read(house: House, shop: Path) -> None:
    """The row group that the question does not need is destroyed; the file's size and time stay."""
    path = shop / "orders" / "a file, 4.parquet"
    kept, state = path.read_bytes(), path.stat()
    group = pq.read_metadata(path).row_group(1)
    start = group.column(0).dictionary_page_offset or group.column(0).data_page_offset
    size = group.total_byte_size
    path.write_bytes(kept[:start] + b"x" * size + kept[start + size :])
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    try:
        (orders,) = ask(house, "totals/bob", tables=("orders",)).tables
        assert [record.values["id"] for record in orders.records] == [2, 5, 6]
        (orders,) = ask(house, "totals/eve", tables=("orders",)).tables
    finally:
        path.write_bytes(kept)
        os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert orders.missing == ("orders/8",)
    assert [lost.state for lost in orders.lost] == ["unreadable"]


def test_files_that_changed_or_are_gone_are_named(house: House, shop: Path) -> None:
    path = shop / "orders" / "a file, 0.parquet"
    state = path.stat()
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns + 5_000_000))
    changed = ask(house, "totals/ann", ends=True)
    away = path.rename(shop / "away")
    gone = ask(house, "totals/ann", ends=True)
    away.rename(path)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    for found, what in ((changed, "changed"), (gone, "gone")):
        orders = by_table(found)["orders"]
        assert [record.item for record in orders.records] == ["orders/9"]
        assert orders.missing == ("orders/1", "orders/3")
        assert [(lost.path, lost.state) for lost in orders.lost] == [(path, what)]
        assert f"{path} ({what})" in printed(found)


def test_the_command_writes_json_as_its_schema_says(house: House) -> None:
    home, warehouse = house.settings.neo4j_home, house.settings.warehouse
    given = ["--warehouse", str(warehouse), "--set", f"neo4j_home={home}", "lineage", "totals/ann"]
    done = CliRunner().invoke(app, [*given, "--records", "--format", "json"])
    found = json.loads(done.stdout)
    jsonschema.validate(found, json.loads((SCHEMAS / "records.json").read_text()))
    assert [table["table"] for table in found["tables"]] == ["customers", "orders"]
    assert found["tables"][1]["records"][2]["values"]["fee"] == "2.00"
    assert found["more"] == 0
    done = CliRunner().invoke(app, [*given, "--records", "--summary"])
    assert isinstance(done.exception, UsageError)


def printed(found: CapturedRecords) -> str:
    """Return the output that a terminal shows."""
    out = io.StringIO()
    shown = Console(file=out, width=400)
    for section in RecordsResult(found).text():
        shown.print(section)
    return out.getvalue()
