"""Third step: join each flight with the wind at its departure and with its plane."""

from book import Book, link, renamed
from pyspark.sql import functions as F

HOURS = 6


def steady_wind(book: Book) -> None:
    """Write the mean wind of the last six hours, for each hour and airport."""
    clean = book.table("weather_clean").select("id", "origin", "time_hour", "wind_speed")
    hours = clean.select(
        "*", F.explode(F.sequence(F.lit(0), F.lit(HOURS - 1))).alias("hours_before")
    )
    later = F.timestamp_seconds(F.unix_timestamp("time_hour") + F.col("hours_before") * 3600)
    used = hours.select(
        "origin", later.alias("time_hour"), "hours_before", "wind_speed", F.col("id").alias("used")
    ).join(clean.select("id", "origin", "time_hour"), ["origin", "time_hour"])
    used = used.withColumn("id", renamed("weather_steady")).persist()
    rows = used.groupBy("id", "origin", "time_hour").agg(
        F.round(F.avg("wind_speed"), 2).alias("wind"), F.count("*").alias("readings")
    )
    book.keep("weather_steady", rows)
    book.trace(
        "weather_steady",
        link(
            used,
            "mean of six hours",
            ("weather_clean", "used"),
            ("weather_steady", "id"),
            hours_before="hours_before",
        ),
    )
    used.unpersist()


def departures(book: Book) -> None:
    """Write every completed flight, with its plane and the mean wind of its hour, if known."""
    flights = book.table("flights_clean").withColumnRenamed("id", "flight_id")
    wind = book.table("weather_steady").select(
        F.col("id").alias("wind_id"), "origin", "time_hour", "wind"
    )
    planes = book.table("planes_clean").select(
        F.col("id").alias("plane_id"), "tailnum", F.col("year").alias("built"), "seats"
    )
    rows = (
        flights.join(wind, ["origin", "time_hour"], "left")
        .join(F.broadcast(planes), "tailnum", "left")
        .select(
            renamed("departures", "flight_id").alias("id"),
            "flight_id",
            "wind_id",
            "plane_id",
            "date",
            "carrier",
            "origin",
            "dest",
            "dep_delay",
            "wind",
            "seats",
            (F.col("year") - F.col("built")).alias("plane_age"),
        )
    )
    kept = book.keep("departures", rows)
    here = ("departures", "id")
    book.trace(
        "departures",
        link(kept, "take flight", ("flights_clean", "flight_id"), here),
        link(kept, "join wind", ("weather_steady", "wind_id"), here),
        link(kept, "join plane", ("planes_clean", "plane_id"), here),
    )
