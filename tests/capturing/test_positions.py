"""Without a key, records of CSV, JSON, text, ORC and XML are named by their positions in files."""

import bz2
import gzip
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import orc
from pyspark.sql import DataFrame, SparkSession

from helpers.shop import ORDERS, write_shop
from helpers.warehouse import House
from provhouse.model.associations import ROW_BITS
from provhouse.model.errors import BadInput

ROWS = 60
"""The number of records in each file. Every fifth line of the CSV files is blank."""


@contextmanager
def small_parts(spark: SparkSession) -> Iterator[None]:
    """Let Spark split each file into many parts."""
    spark.conf.set("spark.sql.files.maxPartitionBytes", "97")
    try:
        yield
    finally:
        spark.conf.unset("spark.sql.files.maxPartitionBytes")


def lines(header: str) -> bytes:
    blank = (f"{row},{'x' * (row % 7)}\n" + "\n" * (row % 5 == 4) for row in range(ROWS))
    return (header + "".join(blank)).encode()


def element(row: int) -> str:
    return f"<r><k>{row}</k></r>\n"


FILES: dict[str, Callable[[], bytes]] = {
    "plain.csv": lambda: lines("k,v\n"),
    "bare.csv": lambda: lines(""),
    "zipped.csv.gz": lambda: gzip.compress(lines("k,v\n")),
    "zipped.csv.bz2": lambda: bz2.compress(lines("k,v\n")),
    "records.json": lambda: "".join(f'{{"k": {row}}}\n' for row in range(ROWS)).encode(),
    "document.json": lambda: json.dumps([{"k": row} for row in range(ROWS)], indent=1).encode(),
    "lines.txt": lambda: "".join(f"{row}\n" for row in range(ROWS)).encode(),
    "feed.xml": lambda: f"<rows>{''.join(map(element, range(ROWS)))}</rows>".encode(),
}


def read(spark: SparkSession, path: Path) -> DataFrame:
    """Read a file as a frame in which ``k`` is the number of each record."""
    reader, name = spark.read.schema("k INT"), path.name
    if ".csv" in name:
        return spark.read.schema("k INT, v STRING").csv(str(path), header=name != "bare.csv")
    if name.endswith(".json"):
        return reader.json(str(path), multiLine=name == "document.json")
    if name.endswith(".txt"):
        return spark.read.text(str(path)).selectExpr("CAST(value AS INT) AS k")
    if name.endswith(".xml"):
        return reader.format("xml").option("rowTag", "r").load(str(path))
    return spark.read.orc(str(path))


def positions(house: House, spark: SparkSession, paths: list[Path], out: Path) -> dict[str, str]:
    """Write the records with odd numbers; for each file, return the sources of three rows."""
    tables = {path: f"{path.name.replace('.', '_')}_{out.name}" for path in paths}
    with house.capture(keys=dict.fromkeys(tables.values(), "k")):
        for path, table in tables.items():
            read(spark, path).where("k % 2 = 1").select("k").write.parquet(str(out / table))
    found = {}
    with house.open() as warehouse:
        for path, table in tables.items():
            for key in (1, 31, ROWS - 1):
                (item,) = (each.item for each in warehouse.lineage(f"{table}/{key}").items)
                found[f"{path.name}/{key}"] = item
    return found


@pytest.mark.long
@pytest.mark.parametrize(
    "names",
    [("plain.csv", "records.json"), pytest.param((*FILES, "rows.orc"), marks=pytest.mark.long)],
)
def test_positions_do_not_depend_on_how_spark_splits_a_file(
    names: tuple[str, ...],
    houses: Callable[..., House],
    spark: SparkSession,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    house, folder = houses(), tmp_path_factory.mktemp("positions")
    for name, content in FILES.items():
        (folder / name).write_bytes(content())
    orc.write_table(
        pa.table({"k": pa.array(range(ROWS), pa.int32())}), folder / "rows.orc", stripe_size=64
    )
    paths = [folder / name for name in names]
    whole = positions(house, spark, paths, folder / "whole")
    for name, item in whole.items():
        header = "csv" in name and "bare" not in name
        position = int(item.partition("/")[2]) & ((1 << ROW_BITS) - 1)
        assert position == int(name.partition("/")[2]) + header, name
    with small_parts(spark):
        assert positions(house, spark, paths, folder / "parts") == whole


def test_rows_of_files_without_a_key_are_found_again(
    houses: Callable[..., House], spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> None:
    house, folder = houses(), tmp_path_factory.mktemp("chain")
    write_shop(folder)
    orders = spark.read.parquet(str(folder / "orders")).select("id", "small")
    with house.capture(keys={"orders": "id"}):
        few = orders.write.partitionBy("small").option("maxRecordsPerFile", 2)
        few.csv(str(folder / "middle"), header=True)
    with house.capture(keys={"orders": "id", "out": "id"}):
        middle = spark.read.schema("id INT, small INT").csv(str(folder / "middle"), header=True)
        middle.where("id > 2").write.parquet(str(folder / "out"))
    with house.open() as warehouse:
        for order in ORDERS[2:]:
            items = {each.item for each in warehouse.lineage(f"out/{order.id}").items}
            assert f"orders/{order.id}" in items
            assert {item.partition("/")[0] for item in items} == {"orders", "middle"}
            assert len(items) == 2


@pytest.mark.long
def test_a_limit_that_leaves_out_records_of_earlier_parts_is_kept_out(
    houses: Callable[..., House],
    spark: SparkSession,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """A limit's tasks do not read parts to the end, so positions in later parts are unknown."""
    folder = tmp_path_factory.mktemp("limit")
    (folder / "plain.csv").write_bytes(lines("k,v\n"))
    frame = read(spark, folder / "plain.csv").where("k > 50").limit(1)
    with (
        small_parts(spark),
        pytest.raises(BadInput, match=r"positions .* are unknown"),
        houses().capture(keys={"out": "k"}),
    ):
        frame.write.parquet(str(folder / "out"))


@pytest.mark.long
@pytest.mark.parametrize("form", ["csv", "text"])
def test_lines_that_are_not_rows_are_kept_out(
    form: str,
    houses: Callable[..., House],
    spark: SparkSession,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("lines")
    frame = spark.range(2).selectExpr("concat(id, '\n', id) AS v")
    with pytest.raises(BadInput, match="not one line each"), houses().capture():
        frame.write.format(form).save(str(folder / "out"))
