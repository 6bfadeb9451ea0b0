"""Number the visits of each user. A visit ends after half an hour without events."""

import sys

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("sessions_by_gap").getOrCreate()
source, target = sys.argv[1:]

events = spark.read.json(f"{source}/events.json").withColumn("at", F.to_timestamp("at"))
of_user = Window.partitionBy("user").orderBy("at")
gap = F.col("at").cast("long") - F.lag("at").over(of_user).cast("long")
visits = events.withColumn("is_new", F.coalesce((gap > 1800).cast("int"), F.lit(1)))
visits = visits.withColumn(
    "visit", F.sum("is_new").over(of_user.rowsBetween(Window.unboundedPreceding, 0))
)
visits.write.mode("overwrite").parquet(f"{target}/visits")
summary = visits.groupBy("user", "visit").agg(
    F.min("at").alias("begun"), F.count("*").alias("events"), F.collect_list("page").alias("pages")
)
summary.write.mode("overwrite").parquet(f"{target}/summary")
