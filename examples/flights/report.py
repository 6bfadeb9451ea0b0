"""Last step: write the report, the result of the pipeline."""

from book import Step, named
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

LEAST_FLIGHTS = 20
COUNTS = {"delay": "flights", "wind": "wind_flights"}
"""For each mean, the column with the number of values that were averaged."""
LINE = ("id", "section", "subject", "name", "flights", "cancelled", "delay", "wind")


def write(step: Step) -> None:
    """Write the table ``report``."""
    for op, lines in (
        ("pick windiest day", _windiest_days(step)),
        ("highest daily wind", _highest_winds(step)),
        ("pick windiest route", _windiest_routes(step)),
        ("sum over the year", _carriers(step)),
    ):
        step.write(op, lines.select(*LINE).coalesce(1), "report")


def _windiest_days(step: Step) -> DataFrame:
    winds = step.table("wind_daily").select("date", "origin", F.round("wind", 2).alias("wind"))
    days = step.table("airport_daily").drop("wind").join(winds, ["date", "origin"])
    return (
        _first(days, "origin", "date")
        .join(_airports(step, "origin"), "origin")
        .withColumn("id", named(F.lit("windiest-day"), "origin"))
        .withColumn("section", F.lit("windiest day"))
        .withColumn("subject", F.col("date").cast("string"))
    )


def _highest_winds(step: Step) -> DataFrame:
    """Return the mean wind of each airport's windiest day, so that a warehouse can recompute it.

    The figure is an aggregate of one column, so capture stores the value that each day contributes.
    """
    none = F.lit(None)
    return (
        step.table("wind_daily")
        .groupBy("origin")
        .agg(F.max("wind").alias("wind"))
        .select(
            named(F.lit("highest-wind"), "origin"),
            F.lit("highest daily wind").alias("section"),
            F.col("origin").alias("subject"),
            F.col("origin").alias("name"),
            *(none.cast("bigint").alias(name) for name in ("flights", "cancelled")),
            none.cast("double").alias("delay"),
            F.round("wind", 2).alias("wind"),
        )
    )


def _windiest_routes(step: Step) -> DataFrame:
    busy = step.table("route_monthly").where(F.col("flights") >= LEAST_FLIGHTS)
    return (
        _first(busy, "month", "origin", "dest")
        .join(_airports(step, "dest"), "dest", "left")
        .withColumn("id", named(F.lit("windiest-route"), "month"))
        .withColumn("section", F.lit("windiest route"))
        .withColumn("subject", F.concat_ws(" ", "month", F.concat_ws("-", "origin", "dest")))
    )


def _carriers(step: Step) -> DataFrame:
    def mean(column: str) -> Column:
        total = F.try_divide(F.sum(f"{column}_sum"), F.sum(COUNTS[column]))
        return F.round(total, 2).alias(column)

    airlines = step.table("airlines").select("carrier", "name")
    sums = ("flights", "cancelled")
    return (
        step.table("carrier_monthly")
        .join(F.broadcast(airlines), "carrier")
        .groupBy("carrier", "name")
        .agg(*(F.sum(each).alias(each) for each in sums), mean("delay"), mean("wind"))
        .withColumn("id", named(F.lit("carrier"), "carrier"))
        .withColumn("section", F.lit("carrier"))
        .withColumn("subject", F.col("carrier"))
    )


def _first(rows: DataFrame, group: str, *ties: str) -> DataFrame:
    """Return the windiest row of each group; ``ties`` are the columns that break ties."""
    order = Window.partitionBy(group).orderBy(F.col("wind").desc_nulls_last(), *ties)
    return rows.withColumn("rank", F.row_number().over(order)).where("rank = 1").drop("rank")


def _airports(step: Step, key: str) -> DataFrame:
    return step.table("airports").select(F.col("faa").alias(key), "name")
