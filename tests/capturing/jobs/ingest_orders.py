"""Load the orders of a day from CSV and store them by month."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("ingest_orders").getOrCreate()
source, target = sys.argv[1:]

orders = spark.read.option("header", True).option("inferSchema", True).csv(f"{source}/orders.csv")
orders = orders.withColumn("month", F.date_format("ordered_at", "yyyy-MM"))
orders = orders.withColumn("file", F.element_at(F.split(F.input_file_name(), "/"), -1))
orders.write.mode("overwrite").partitionBy("month").parquet(f"{target}/orders")
