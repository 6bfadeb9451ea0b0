"""Separate the orders that cannot be used from the others."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("quarantine_rows").getOrCreate()
source, target = sys.argv[1:]

schema = (
    "id INT, customer_id INT, product STRING, quantity INT, price DOUBLE, ordered_at DATE, "
    "status STRING, broken STRING"
)
orders = spark.read.csv(
    f"{source}/orders.csv", schema=schema, header=True, columnNameOfCorruptRecord="broken"
)
bad = F.col("broken").isNotNull() | F.col("id").isNull() | (F.coalesce("quantity", F.lit(0)) <= 0)
orders.where(~bad).drop("broken").write.mode("overwrite").parquet(f"{target}/valid")
orders.where(bad).write.mode("overwrite").option("header", True).csv(f"{target}/quarantine")
