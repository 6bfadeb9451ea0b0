"""Fourth step: sum by day and by month, for routes, carriers and airports.

Each level adds sums and counts, and only then computes the means ``wind`` and ``delay``, so that no
mean is computed from other means.
"""

from functools import reduce

from book import Step, named
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

SUMS = ("flights", "cancelled", "delay_sum", "wind_sum", "wind_flights")
ROUTE = ("carrier", "origin", "dest")


def daily(step: Step) -> None:
    """Sum the daily flights by route, and these sums by carrier and by airport."""
    flights = step.table("departures").select(
        "date", *ROUTE,
        F.lit(1).alias("flights"), F.lit(0).alias("cancelled"),
        F.col("dep_delay").alias("delay_sum"),
        F.coalesce("wind", F.lit(0)).alias("wind_sum"),
        F.col("wind").isNotNull().cast("int").alias("wind_flights"),
    )  # fmt: skip
    _roll(step, "route_daily", "sum by route and day", ("date", *ROUTE), flights)
    routes = step.table("route_daily")
    none = {name: F.lit(0) for name in SUMS}
    cancelled = step.table("flights_cancelled").select(
        "date", *ROUTE, *((none | {"cancelled": F.lit(1)})[s].alias(s) for s in SUMS)
    )
    for table, key in (("carrier_daily", "carrier"), ("airport_daily", "origin")):
        op = f"sum by {table.split('_')[0]} and day"
        _roll(step, table, op, ("date", key), routes, cancelled)


def daily_wind(step: Step) -> None:
    """Write the mean wind of each airport and day."""
    rows = (
        step.table("weather_clean")
        .groupBy("date", "origin")
        .agg(F.avg("wind_speed").alias("wind"))
        .select(_key(("date", "origin")), "date", "origin", "wind")
    )
    step.write("mean wind of the day", rows, "wind_daily")


def monthly(step: Step) -> None:
    """Sum the daily tables of routes, carriers and airports by month."""
    for kind, keys in (
        ("route", ("origin", "dest")),
        ("carrier", ("carrier",)),
        ("airport", ("origin",)),
    ):
        days = step.table(f"{kind}_daily").withColumn("month", F.date_format("date", "yyyy-MM"))
        _roll(step, f"{kind}_monthly", f"sum by {kind} and month", ("month", *keys), days)


def _roll(step: Step, table: str, op: str, keys: tuple[str, ...], *parts: DataFrame) -> None:
    """Write a table with the sums of ``parts``, grouped by ``keys``."""
    columns = [*keys, *SUMS]
    together = reduce(DataFrame.unionByName, (part.select(columns) for part in parts))
    sums = together.groupBy(*keys).agg(*(F.sum(s).alias(s) for s in SUMS))
    means = {
        "wind": F.try_divide("wind_sum", "wind_flights"),
        "delay": F.try_divide("delay_sum", "flights"),
    }
    rounded = (F.round(mean, 2).alias(name) for name, mean in means.items())
    step.write(op, sums.select(_key(keys), *columns, *rounded), table)


def _key(keys: tuple[str, ...]) -> Column:
    time, *rest = keys
    if "dest" not in rest:
        return named(time, *rest)
    return named(time, *rest[:-2], F.concat_ws("-", "origin", "dest"))
