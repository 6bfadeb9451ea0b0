"""Store the many small compressed files of sensors as one table."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("compact_files").getOrCreate()
source, target = sys.argv[1:]

readings = spark.read.schema("device STRING, at TIMESTAMP, value DOUBLE").csv(f"{source}/sensors")
readings = readings.withColumn("day", F.to_date("at"))
readings.repartition(1).sortWithinPartitions("device", "at").write.mode("overwrite").parquet(
    f"{target}/readings"
)
