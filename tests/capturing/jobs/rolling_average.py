"""Compute the average of the last three hours for each reading."""

import sys

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("rolling_average").getOrCreate()
source, target = sys.argv[1:]

readings = spark.read.parquet(f"{source}/readings.parquet")
last = Window.partitionBy("device").orderBy(F.col("at").cast("long")).rangeBetween(-10800, 0)
smooth = readings.withColumn("average", F.avg("value").over(last)).withColumn(
    "n", F.count("value").over(last)
)
filled = smooth.withColumn(
    "filled",
    F.last("value", ignorenulls=True).over(Window.partitionBy("device").orderBy("at")),
)
filled.write.mode("overwrite").parquet(f"{target}/smooth")
