"""Second step: clean the usable rows, and write each unusable row to another table."""

from book import Book, link, renamed
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

# Readings outside these limits are faults of the instrument. A limit for the wind speed is missing:
# the demo finds this gap.
SOUND = {
    "temp": (-40, 120),
    "dewp": (-60, 90),
    "humid": (0, 100),
    "visib": (0, 10),
    "pressure": (900, 1100),
}
MANUFACTURERS = {
    "AIRBUS INDUSTRIE": "AIRBUS",
    "MCDONNELL DOUGLAS AIRCRAFT CO": "MCDONNELL DOUGLAS",
    "MCDONNELL DOUGLAS CORPORATION": "MCDONNELL DOUGLAS",
}


def flights(book: Book) -> None:
    """Write the completed, the cancelled and the diverted flights to three tables."""
    raw = book.table("flights")
    cancelled = F.col("dep_time").isNull()
    diverted = ~cancelled & F.col("air_time").isNull()
    midnight = F.when((F.col("dep_time") == 2400) | (F.col("arr_time") == 2400), "2400 is 0000")
    flown = (
        _moved(raw.where(~cancelled & ~diverted), "flights_clean")
        .withColumn("rule", midnight)
        .withColumn("dep_time", F.col("dep_time") % 2400)
        .withColumn("arr_time", F.col("arr_time") % 2400)
    )
    _keep(book, "flights", "flights_clean", "check flight", flown)
    for table, chosen, rule in (
        ("flights_cancelled", cancelled, "no departure"),
        ("flights_rejected", diverted, "no arrival at the destination"),
    ):
        rows = _moved(raw.where(chosen), table).withColumn("rule", F.lit(rule))
        _keep(book, "flights", table, "set flight aside", rows)


def weather(book: Book) -> None:
    """Write the plausible hourly readings to one table, and all other readings to another."""
    raw = book.table("weather").withColumn("rule", _fault())
    good = _moved(raw.where("rule is null"), "weather_clean")
    _keep(book, "weather", "weather_clean", "check reading", good)
    bad = _moved(raw.where("rule is not null"), "weather_rejected")
    _keep(book, "weather", "weather_rejected", "set reading aside", bad)


def planes(book: Book) -> None:
    """Write the table of planes, with one spelling for each manufacturer."""
    spelling = F.create_map(*(F.lit(word) for pair in MANUFACTURERS.items() for word in pair))
    repaired = F.element_at(spelling, F.col("manufacturer"))
    rows = (
        _moved(book.table("planes"), "planes_clean")
        .withColumn("rule", F.when(repaired.isNotNull(), "manufacturer spelled one way"))
        .withColumn("manufacturer", F.coalesce(repaired, "manufacturer"))
    )
    _keep(book, "planes", "planes_clean", "repair plane", rows)


def _fault() -> Column:
    faults = [F.when(F.col("wind_speed").isNull(), "no wind speed")]
    for column, (least, most) in SOUND.items():
        faults.append(F.when(~F.col(column).between(least, most), f"{column} out of range"))
    return F.coalesce(*faults)


def _moved(rows: DataFrame, table: str) -> DataFrame:
    return rows.withColumnRenamed("id", "raw_id").select(renamed(table, "raw_id").alias("id"), "*")


def _keep(book: Book, source: str, table: str, op: str, rows: DataFrame) -> None:
    kept = book.keep(table, rows)
    book.trace(table, link(kept, op, (source, "raw_id"), (table, "id"), rule="rule"))
