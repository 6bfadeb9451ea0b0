"""Flatten and clean the customers of a web shop."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("clean_customers").getOrCreate()
source, target = sys.argv[1:]

raw = spark.read.json(f"{source}/customers.json")
customers = (
    raw.where(F.col("email").isNotNull())
    .select(
        "id",
        F.initcap(F.trim("name")).alias("name"),
        F.lower("email").alias("email"),
        F.col("address.city").alias("city"),
        F.coalesce("address.country", F.lit("??")).alias("country"),
        F.size("tags").alias("tags"),
        F.to_timestamp("updated_at").alias("updated_at"),
    )
    .dropDuplicates(["email"])
)
customers.write.mode("overwrite").parquet(f"{target}/customers")
