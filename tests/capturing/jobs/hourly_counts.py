"""Count the events of each page in each hour."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("hourly_counts").getOrCreate()
source, target = sys.argv[1:]

events = spark.read.json(f"{source}/events.json").withColumn("at", F.to_timestamp("at"))
counts = events.groupBy(F.window("at", "1 hour"), "page").agg(
    F.count("*").alias("events"), F.countDistinct("user").alias("users")
)
counts = counts.select("page", F.col("window.start").alias("hour"), "events", "users")
counts.orderBy("hour", "page").write.mode("overwrite").json(f"{target}/hourly")
