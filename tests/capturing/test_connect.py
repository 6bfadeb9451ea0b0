"""Spark Connect: a client's sessions are refused, but the server's settings can capture them."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.warehouse import House
from provhouse.capturing.jar import jar

PROGRAM = """
import sys
from pyspark.sql import SparkSession
import provhouse
from provhouse.model.errors import UsageError

refused, captured, jar, orders, copy = sys.argv[1:]
builder = SparkSession.builder.remote("local[1]").config("spark.ui.enabled", "false")
if captured:
    builder = builder.config("spark.jars", jar).config("spark.provhouse.warehouse", captured)
    builder = builder.config("spark.provhouse.keys.orders", "id")
    builder = builder.config("spark.provhouse.keys.copy", "id")
spark = builder.getOrCreate()
assert "connect" in type(spark).__module__
if refused:
    try:
        with provhouse.capture(spark, refused):
            raise AssertionError("it is captured")
    except UsageError as error:
        assert "Spark Connect" in error.found, error
spark.read.parquet(orders).where("id > 1").write.parquet(copy)
spark.stop()
"""


@pytest.mark.long
@pytest.mark.parametrize("configured", [False, True])
def test_a_connect_session_is_refused_unless_its_server_captures(
    configured: bool, houses: Callable[..., House], connect_packages: Path, tmp_path: Path
) -> None:
    house, orders = houses(), tmp_path / "orders"
    orders.mkdir()
    pq.write_table(pa.table({"id": [1, 2, 3]}), orders / "all.parquet")
    warehouse = str(house.settings.warehouse)
    given = ["", warehouse] if configured else [warehouse, ""]
    subprocess.run(
        [sys.executable, "-c", PROGRAM, *given, jar(), orders, tmp_path / "copy"],
        env={**os.environ, "PYTHONPATH": str(connect_packages)},
        cwd=tmp_path,
        check=True,
    )
    assert sorted(pq.read_table(tmp_path / "copy")["id"].to_pylist()) == [2, 3]
    if not configured:
        assert not [path for path in house.layout.captured.glob("*") if path.is_dir()]
        return
    with house.open() as opened:
        opened.ingest_captured()
        assert {each.item for each in opened.lineage("copy/2").items} == {"orders/2"}
