"""Find readings that are far from the mean of their device."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("outliers").getOrCreate()
source, target = sys.argv[1:]

readings = spark.read.parquet(f"{source}/readings.parquet").cache()
readings.count()
figures = readings.groupBy("device").agg(
    F.avg("value").alias("mean"), F.stddev("value").alias("spread")
)
scored = readings.join(figures, "device").withColumn(
    "score", (F.col("value") - F.col("mean")) / F.col("spread")
)
scored.where(F.abs("score") > 1).write.mode("overwrite").parquet(f"{target}/outliers")
kept = readings.join(scored.where(F.abs("score") > 1), ["device", "at"], "left_anti")
kept.write.mode("overwrite").option("compression", "gzip").csv(f"{target}/kept")
readings.unpersist()
