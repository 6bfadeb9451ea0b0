"""Third step: join each flight with the wind at its departure and with its plane."""

from book import Step
from pyspark.sql import functions as F

HOURS = 6


def steady_wind(step: Step) -> None:
    """Write the mean wind of the last six hours, for each hour and airport."""
    clean = step.table("weather_clean").select("id", "origin", "time_hour", "wind_speed")
    hours = clean.select(
        "*", F.explode(F.sequence(F.lit(0), F.lit(HOURS - 1))).alias("hours_before")
    )
    later = F.timestamp_seconds(F.unix_timestamp("time_hour") + F.col("hours_before") * 3600)
    rows = (
        hours.select("origin", later.alias("time_hour"), "wind_speed")
        .join(clean.select("id", "origin", "time_hour"), ["origin", "time_hour"])
        .groupBy("id", "origin", "time_hour")
        .agg(F.round(F.avg("wind_speed"), 2).alias("wind"), F.count("*").alias("readings"))
    )
    step.write("mean of six hours", rows, "weather_steady")


def departures(step: Step) -> None:
    """Write every completed flight, with its plane and the mean wind of its hour, if known."""
    wind = step.table("weather_steady").select("origin", "time_hour", "wind")
    planes = step.table("planes_clean").select("tailnum", F.col("year").alias("built"), "seats")
    rows = (
        step.table("flights_clean")
        .join(wind, ["origin", "time_hour"], "left")
        .join(F.broadcast(planes), "tailnum", "left")
        .select(
            "id",
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
    step.write("join flight, wind and plane", rows, "departures")
