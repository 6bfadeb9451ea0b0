"""Second step: clean the usable rows, and write each unusable row to another table."""

from book import Step
from pyspark.sql import Column
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


def flights(step: Step) -> None:
    """Write the completed, the cancelled and the diverted flights to three tables."""
    raw = step.table("flights")
    cancelled = F.col("dep_time").isNull()
    diverted = ~cancelled & F.col("air_time").isNull()
    midnight = F.when((F.col("dep_time") == 2400) | (F.col("arr_time") == 2400), "2400 is 0000")
    flown = (
        raw.where(~cancelled & ~diverted)
        .withColumn("rule", midnight)
        .withColumn("dep_time", F.col("dep_time") % 2400)
        .withColumn("arr_time", F.col("arr_time") % 2400)
    )
    step.write("check flight", flown, "flights_clean")
    for table, chosen, rule in (
        ("flights_cancelled", cancelled, "no departure"),
        ("flights_rejected", diverted, "no arrival at the destination"),
    ):
        rows = raw.where(chosen).withColumn("rule", F.lit(rule))
        step.write("set flight aside", rows, table)


def weather(step: Step) -> None:
    """Write the plausible hourly readings to one table, and all other readings to another."""
    raw = step.table("weather").withColumn("rule", _fault())
    step.write("check reading", raw.where("rule is null"), "weather_clean")
    step.write("set reading aside", raw.where("rule is not null"), "weather_rejected")


def planes(step: Step) -> None:
    """Write the table of planes, with one spelling for each manufacturer."""
    spelling = F.create_map(*(F.lit(word) for pair in MANUFACTURERS.items() for word in pair))
    repaired = F.element_at(spelling, F.col("manufacturer"))
    rows = (
        step.table("planes")
        .withColumn("rule", F.when(repaired.isNotNull(), "manufacturer spelled one way"))
        .withColumn("manufacturer", F.coalesce(repaired, "manufacturer"))
    )
    step.write("repair plane", rows, "planes_clean")


def _fault() -> Column:
    faults = [F.when(F.col("wind_speed").isNull(), "no wind speed")]
    for column, (least, most) in SOUND.items():
        faults.append(F.when(~F.col(column).between(least, most), f"{column} out of range"))
    return F.coalesce(*faults)
