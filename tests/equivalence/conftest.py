"""Fixtures of the tests that compare Spark plans."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from helpers.spark_queries import DDL, TABLES


@pytest.fixture(scope="module")
def tables(spark: SparkSession) -> Iterator[SparkSession]:
    """A session with the empty tables of ``spark_queries``."""
    before = spark.catalog.currentDatabase()
    spark.sql("create database plans")
    spark.catalog.setCurrentDatabase("plans")
    for table in TABLES:  # a view that another test has left would hide the table
        spark.catalog.dropTempView(table)
    for statement in DDL:
        spark.sql(statement)
    yield spark
    spark.catalog.setCurrentDatabase(before)
    for table in TABLES:
        spark.sql(f"drop table plans.{table}")
    spark.sql("drop database plans cascade")
