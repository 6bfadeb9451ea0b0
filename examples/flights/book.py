"""Store the tables of the pipeline in a working folder."""

import os
import sys
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import provhouse

ID = "id"


class Book:
    """A folder with the tables of the pipeline, as Parquet files.

    The column ``id`` of a table is the key of its rows.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.spark = _session()

    def table(self, name: str) -> DataFrame:
        """Return a table that an earlier step wrote."""
        return self.spark.read.parquet(self.path(name))

    def path(self, name: str) -> str:
        """Return the folder of a table."""
        return str(self.folder / "tables" / name)


class Step:
    """A step of the pipeline, which reads and writes tables while its rows' lineage is captured."""

    def __init__(self, book: Book, run: provhouse.Capture) -> None:
        self._book, self._run = book, run
        self.table = book.table

    def write(self, op: str, rows: DataFrame, table: str) -> None:
        """Add rows to a table; ``op`` is their operation's name in the lineage."""
        with self._run.op(op):
            rows.write.mode("append").parquet(self._book.path(table))


def named(*parts: str | Column) -> Column:
    """Return the key of a row, such as ``EWR/2013-02-12T03``."""
    return F.concat_ws("/", *parts).alias(ID)


def _session() -> SparkSession:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = (
        SparkSession.builder.appName("flights")
        .master("local[*]")
        .config("spark.driver.host", "127.0.0.1")  # so that Spark starts without a network
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "2g")
        .config("spark.sql.shuffle.partitions", "4")  # enough for a few hundred thousand rows
        .config("spark.sql.session.timeZone", "America/New_York")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session
