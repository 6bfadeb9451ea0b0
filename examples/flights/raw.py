"""First step: read the five files as tables, and give each row its natural key."""

from datetime import date

from book import Book, named
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

FLIGHTS = """year int, month int, day int, dep_time int, sched_dep_time int, dep_delay int,
 arr_time int, sched_arr_time int, arr_delay int, carrier string, flight int, tailnum string,
 origin string, dest string, air_time int, distance int, hour int, minute int,
 time_hour timestamp"""
# Decimals, so that a mean does not depend on the order in which Spark adds.
WEATHER = """origin string, year int, month int, day int, hour int, temp decimal(9,2),
 dewp decimal(9,2), humid decimal(9,2), wind_dir decimal(9,2), wind_speed decimal(12,5),
 wind_gust decimal(12,5), precip decimal(9,2), pressure decimal(9,2), visib decimal(9,2),
 time_hour timestamp"""
PLANES = """tailnum string, year int, type string, manufacturer string, model string, engines int,
 seats int, speed int, engine string"""
AIRPORTS = """faa string, name string, lat double, lon double, alt int, tz int, dst string,
 tzone string"""
AIRLINES = "carrier string, name string"


def read(book: Book, first: date, last: date) -> None:
    """Write the five source tables; flights and weather only for the days ``first`` to ``last``."""
    day = F.make_date("year", "month", "day")
    chosen = day.between(F.lit(first), F.lit(last))
    flights = _csv(book, "flights", FLIGHTS).withColumn("date", day).where(chosen)
    weather = _csv(book, "weather", WEATHER).withColumn("date", day).where(chosen)
    _keep(book, "flights", flights.select(_flight_key(), "*"))
    _keep(book, "weather", weather.select(_reading_key(), "*"))
    for table, schema, key in (
        ("planes", PLANES, "tailnum"),
        ("airports", AIRPORTS, "faa"),
        ("airlines", AIRLINES, "carrier"),
    ):
        _keep(book, table, _csv(book, table, schema).select(named(key), "*"))


def _csv(book: Book, table: str, schema: str) -> DataFrame:
    file = str(book.folder / "source" / f"{table}.csv")
    return book.spark.read.csv(file, schema, header=True, nullValue="NA")


def _keep(book: Book, table: str, rows: DataFrame) -> None:
    rows.write.parquet(book.path(table))


def _flight_key() -> Column:
    number = F.concat("carrier", "flight")
    return named("date", "origin", number, F.format_string("%04d", "sched_dep_time"))


def _reading_key() -> Column:
    hour = F.format_string("%sT%02d", F.col("date").cast("string"), "hour")
    # When the clocks go back there are two readings of one hour.
    again = F.row_number().over(Window.partitionBy("origin", "date", "hour").orderBy("time_hour"))
    return named("origin", F.concat(hour, F.when(again > 1, "-again").otherwise("")))
