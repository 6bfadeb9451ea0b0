"""A session of plain Spark, beside which provhouse is measured."""

import os
import sys

from pyspark.sql import SparkSession

from provhouse.runtime.java import java


def plain() -> SparkSession:
    """Return a session with Spark's default settings.

    provhouse's own session compiles little, which makes joins three times as slow.
    """
    os.environ["JAVA_HOME"] = str(java().parent.parent)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    settings: dict[str, bool | float | int | str | None] = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "4g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    return SparkSession.builder.master("local[*]").config(map=settings).getOrCreate()
