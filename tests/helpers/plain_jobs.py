"""Jobs in Python, SQL and Scala without a warehouse, started by spark-submit."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from jars_all import package

from provhouse.capturing.jar import own_version
from provhouse.capturing.spark_versions import SparkVersion, named

COMMON = ("--master", "local[2]", "--conf", "spark.ui.enabled=false",
          "--conf", "spark.sql.shuffle.partitions=2")  # fmt: skip
PYTHON = """
import sys
from pyspark.sql import SparkSession, functions as F

delta = "io.delta.sql.DeltaSparkSessionExtension"
builder = SparkSession.builder.config("spark.sql.extensions", delta)
catalog = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
spark = builder.config("spark.sql.catalog.spark_catalog", catalog).getOrCreate()
orders = spark.read.parquet(sys.argv[1])
totals = orders.groupBy("customer").agg(F.sum("price").alias("total"))
totals.write.format(sys.argv[3]).save(sys.argv[2])
spark.stop()
"""
SQL = """
CREATE TEMPORARY VIEW orders USING parquet OPTIONS (path '{orders}');
CREATE TABLE totals USING parquet LOCATION '{totals}'
  AS SELECT customer, sum(price) AS total FROM orders GROUP BY customer;
"""
SCALA = """
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions.sum

object Totals {
  def main(arguments: Array[String]): Unit = {
    val spark = SparkSession.builder.getOrCreate()
    val orders = spark.read.parquet(arguments(0))
    orders.groupBy("customer").agg(sum("price").as("total")).write.parquet(arguments(1))
    spark.stop()
  }
}
"""
CONNECT = """
import sys
from pyspark.sql import SparkSession, functions as F

orders, totals, *settings = sys.argv[1:]
builder = SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false")
for setting in settings:
    builder = builder.config(*setting.split("=", 1))
spark = builder.getOrCreate()
assert "connect" in type(spark).__module__
frame = spark.read.parquet(orders).groupBy("customer").agg(F.sum("price").alias("total"))
frame.write.parquet(totals)
spark.stop()
"""

BLOCK = """
import sys
import provhouse
from pyspark.sql import SparkSession, functions as F

orders, totals, landing = sys.argv[1:]
spark = SparkSession.builder.getOrCreate()
keys = {"orders": "id", "totals": "customer"}
with provhouse.capture(spark, landing=landing, keys=keys, run="nightly") as run:
    frame = spark.read.parquet(orders).groupBy("customer").agg(F.sum("price").alias("total"))
    with run.op("sum of prices"):
        frame.write.parquet(totals)
try:
    provhouse.open("warehouse")
except provhouse.Unavailable:
    spark.stop()
"""
"""A job that imports provhouse, and captures a part of itself."""


def write_orders(folder: Path) -> Path:
    """Write the table ``orders`` below a folder, and return its path."""
    rows = {"id": [1, 2, 3, 4], "customer": ["ann", "bob"] * 2, "price": [30, 5, 20, 50]}
    (folder / "orders").mkdir()
    pq.write_table(pa.table(rows), folder / "orders" / "all.parquet")
    return folder / "orders"


def spark_run(
    version: SparkVersion,
    program: str,
    options: Sequence[str],
    arguments: Sequence[object],
    at: Path,
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """Run a program of a Spark, such as ``spark-submit``, with a Python that lacks provhouse."""
    spark = package(version)
    return subprocess.run(
        ["bash", spark / "bin" / program, *COMMON, *options, *map(str, arguments)],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(at),
            "SPARK_HOME": str(spark),
            "PYSPARK_PYTHON": str(Path(sys.base_prefix) / "bin" / "python3"),
            "SPARK_LOCAL_IP": "127.0.0.1",
            **environment,
        },
        cwd=at,
        capture_output=True,
        text=True,
    )


def compiled(version: SparkVersion, at: Path) -> Path:
    """Compile the job in Scala with the compiler that comes with PySpark, and return its jar."""
    source, jar = at / "Totals.scala", at / "totals.jar"
    source.write_text(SCALA)
    compiler = named("3.5") if version.scala == "2.12" else own_version()
    main = ["java", "-cp", f"{package(compiler)}/jars/*", "scala.tools.nsc.Main", "-nowarn"]
    classes = f"{package(version)}/jars/*"
    subprocess.run([*main, "-classpath", classes, "-d", jar, source], check=True)
    return jar
