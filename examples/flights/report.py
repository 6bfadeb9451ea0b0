"""Last step: write the report, the result of the pipeline."""

from book import Book, link, named
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

LEAST_FLIGHTS = 20
LINE = ("id", "section", "subject", "name", "flights", "cancelled", "delay", "wind")


def write(book: Book) -> None:
    """Write the table ``report`` and the triples of its lines."""
    days, routes, carriers = _windiest_days(book), _windiest_routes(book), _carriers(book)
    lines = days.select(*LINE).unionByName(routes.select(*LINE))
    book.keep("report", lines.unionByName(carriers.select(*LINE).distinct()).coalesce(1))
    here = ("report", "id")
    book.trace(
        "report",
        link(days, "pick windiest day", ("airport_daily", "day_id"), here),
        link(days, "name airport", ("airports", "airport_id"), here),
        link(routes, "pick windiest route", ("route_monthly", "route_id"), here),
        link(routes, "name airport", ("airports", "airport_id"), here),
        link(carriers, "sum over the year", ("carrier_monthly", "month_id"), here),
        link(
            carriers.select("airline_id", "id").distinct(),
            "name airline",
            ("airlines", "airline_id"),
            here,
        ),
    )


def _windiest_days(book: Book) -> DataFrame:
    days = book.table("airport_daily").withColumnRenamed("id", "day_id")
    return (
        _first(days, "origin", "date")
        .join(_airports(book, "origin"), "origin")
        .select(
            named("report", F.lit("windiest-day"), "origin").alias("id"),
            F.lit("windiest day").alias("section"),
            F.col("date").cast("string").alias("subject"),
            "*",
        )
    )


def _windiest_routes(book: Book) -> DataFrame:
    routes = book.table("route_monthly").withColumnRenamed("id", "route_id")
    chosen = _first(routes.where(F.col("flights") >= LEAST_FLIGHTS), "month", "origin", "dest")
    return chosen.join(_airports(book, "dest"), "dest", "left").select(
        named("report", F.lit("windiest-route"), "month").alias("id"),
        F.lit("windiest route").alias("section"),
        F.concat_ws(" ", "month", F.concat_ws("-", "origin", "dest")).alias("subject"),
        "*",
    )


def _carriers(book: Book) -> DataFrame:
    """Return a row for each carrier and month, each with the sums of the carrier's year.

    The report has one line for each carrier. Each row names a month that this line derives from.
    """
    months = book.table("carrier_monthly").withColumnRenamed("id", "month_id")
    year = Window.partitionBy("carrier")
    airlines = book.table("airlines").withColumnRenamed("id", "airline_id")

    def total(column: str) -> Column:
        return F.sum(column).over(year)

    return months.join(F.broadcast(airlines), "carrier").select(
        named("report", F.lit("carrier"), "carrier").alias("id"),
        "month_id",
        "airline_id",
        F.lit("carrier").alias("section"),
        F.col("carrier").alias("subject"),
        "name",
        total("flights").alias("flights"),
        total("cancelled").alias("cancelled"),
        F.round(F.try_divide(total("delay_sum"), total("flights")), 2).alias("delay"),
        F.round(F.try_divide(total("wind_sum"), total("wind_flights")), 2).alias("wind"),
    )


def _first(rows: DataFrame, group: str, *ties: str) -> DataFrame:
    """Return the windiest row of each group; of equally windy ones, the first by ``ties``."""
    order = Window.partitionBy(group).orderBy(F.col("wind").desc_nulls_last(), *ties)
    return rows.withColumn("rank", F.row_number().over(order)).where("rank = 1").drop("rank")


def _airports(book: Book, key: str) -> DataFrame:
    return book.table("airports").select(
        F.col("id").alias("airport_id"), F.col("faa").alias(key), "name"
    )
