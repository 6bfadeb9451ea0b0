"""Fourth step: sum by day and by month, for routes, carriers and airports.

Each level adds sums and counts, and only then computes the means ``wind`` and ``delay``, so there
are no means of means.
"""

from functools import reduce

from book import Book, link, named
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

SUMS = ("flights", "cancelled", "delay_sum", "wind_sum", "wind_flights")
ROUTE = ("carrier", "origin", "dest")


def daily(book: Book) -> None:
    """Sum the daily flights by route, and these sums by carrier and by airport."""
    flights = book.table("departures").select(
        "id", "date", *ROUTE,
        F.lit(1).alias("flights"), F.lit(0).alias("cancelled"),
        F.col("dep_delay").alias("delay_sum"),
        F.coalesce("wind", F.lit(0)).alias("wind_sum"),
        F.col("wind").isNotNull().cast("int").alias("wind_flights"),
    )  # fmt: skip
    _roll(book, "route_daily", "sum by route and day", ("date", *ROUTE), departures=flights)
    routes = book.table("route_daily")
    none = {name: F.lit(0) for name in SUMS}
    cancelled = book.table("flights_cancelled").select(
        "id", "date", *ROUTE, *((none | {"cancelled": F.lit(1)})[s].alias(s) for s in SUMS)
    )
    for table, key in (("carrier_daily", "carrier"), ("airport_daily", "origin")):
        _roll(
            book,
            table,
            f"sum by {table.split('_')[0]} and day",
            ("date", key),
            route_daily=routes,
            flights_cancelled=cancelled,
        )


def monthly(book: Book) -> None:
    """Sum the daily tables of routes, carriers and airports by month."""
    for kind, keys in (
        ("route", ("origin", "dest")),
        ("carrier", ("carrier",)),
        ("airport", ("origin",)),
    ):
        days = book.table(f"{kind}_daily").withColumn("month", F.date_format("date", "yyyy-MM"))
        _roll(
            book,
            f"{kind}_monthly",
            f"sum by {kind} and month",
            ("month", *keys),
            **{f"{kind}_daily": days},
        )


def _roll(book: Book, table: str, op: str, keys: tuple[str, ...], **parts: DataFrame) -> None:
    """Write a table with the sums of ``parts``, grouped by ``keys``, and its triples.

    The keyword of each part is the name of its table.
    """
    name = _name(table, keys)
    columns = [*keys, *SUMS]
    together = reduce(DataFrame.unionByName, (part.select(columns) for part in parts.values()))
    sums = together.groupBy(*keys).agg(*(F.sum(s).alias(s) for s in SUMS))
    means = {
        "wind": F.try_divide("wind_sum", "wind_flights"),
        "delay": F.try_divide("delay_sum", "flights"),
    }
    book.keep(
        table,
        sums.select(
            name.alias("id"), *columns, *(F.round(mean, 2).alias(m) for m, mean in means.items())
        ),
    )
    book.trace(
        table, *(link(part, op, (source, "id"), (table, name)) for source, part in parts.items())
    )


def _name(table: str, keys: tuple[str, ...]) -> Column:
    time, *rest = keys
    if "dest" not in rest:
        return named(table, time, *rest)
    return named(table, time, *rest[:-2], F.concat_ws("-", "origin", "dest"))
