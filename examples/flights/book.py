"""Store the tables of the pipeline, and the triples of its steps, in a working folder."""

import os
import sys
from functools import reduce
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

ID = "id"


class Book:
    """A folder with the tables and triples of the pipeline, as Parquet files.

    The column ``id`` of a table has the names of its rows. A triple records that the
    row ``dst`` was derived from the row ``src`` by the operation ``op``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.spark = _session()
        self._schemas: dict[str, DataFrame] = {}

    def table(self, name: str) -> DataFrame:
        """Return a table that an earlier step wrote."""
        if name not in self._schemas:
            self._schemas[name] = self.spark.read.parquet(str(self.folder / "tables" / name))
        return self._schemas[name]

    def keep(self, name: str, rows: DataFrame) -> DataFrame:
        """Write a table and return it as read from disk."""
        _write(rows, self.folder / "tables" / name)
        return self.table(name)

    def trace(self, step: str, *links: DataFrame) -> None:
        """Write the triples of one step. Each of ``links`` is a result of the function ``link``."""
        triples = reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), links)
        _write(triples, self.folder / "triples" / step)


def link(
    rows: DataFrame,
    op: str,
    src: tuple[str, str | Column],
    dst: tuple[str, str | Column],
    **attributes: str | Column,
) -> DataFrame:
    """Return one triple for each of ``rows`` that has a source.

    ``src`` and ``dst`` are pairs: a table, and the column of ``rows`` that names a row of this
    table. ``attributes`` are further facts about the operation. Null attributes are left out.
    """
    return rows.select(
        _column(src[1]).alias("src"),
        _column(dst[1]).alias("dst"),
        F.lit(op).alias("op"),
        F.lit(src[0]).alias("src_table"),
        F.lit(dst[0]).alias("dst_table"),
        *(_column(value).alias(name) for name, value in attributes.items()),
    ).where("src is not null")


def named(table: str, *parts: str | Column) -> Column:
    """Return a row's name: its table and its natural key, such as ``weather/EWR/2013-02-12T03``."""
    return F.concat_ws("/", F.lit(table), *parts)


def renamed(table: str, column: str = ID) -> Column:
    """Return the row names in ``column`` with ``table`` as their table. The natural keys stay."""
    return F.concat(F.lit(table), F.regexp_extract(column, "/.*", 0))


def _column(column: str | Column) -> Column:
    return F.col(column) if isinstance(column, str) else column


def _write(rows: DataFrame, folder: Path) -> None:
    rows.write.mode("overwrite").parquet(str(folder))


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
