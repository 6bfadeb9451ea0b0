"""Parse the log of a web server, and write its failed requests as text."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("access_log").getOrCreate()
source, target = sys.argv[1:]

lines = spark.read.text(f"{source}/access.log")
form = r'^(\S+) \S+ \S+ \[([^\]]+)\] "(\S+) (\S+) [^"]*" (\d{3}) (\d+|-)$'
parts = ["host", "at", "method", "path", "status", "bytes"]
parsed = lines.select(
    *(F.regexp_extract("value", form, i + 1).alias(p) for i, p in enumerate(parts)), "value"
)
requests = parsed.where("host <> ''").withColumn("status", F.col("status").cast("int"))
requests.drop("value").write.mode("overwrite").parquet(f"{target}/requests")
requests.where("status >= 500").select("value").write.mode("overwrite").text(f"{target}/failed")
