"""Create the calendar dimension of a data warehouse."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("calendar_dimension").getOrCreate()
source, target = sys.argv[1:]

bounds = spark.createDataFrame([("2026-01-01", "2026-02-15")], ["first", "last"])
days = bounds.select(
    F.explode(F.sequence(F.to_date("first"), F.to_date("last"), F.expr("interval 1 day"))).alias(
        "day"
    )
)
calendar = days.select(
    F.date_format("day", "yyyyMMdd").cast("int").alias("date_key"),
    "day",
    F.year("day").alias("year"),
    F.weekofyear("day").alias("week"),
    F.dayofweek("day").isin(1, 7).alias("is_weekend"),
)
calendar.write.mode("overwrite").parquet(f"{target}/calendar")
