"""Convert amounts with rates from a pandas frame, and store them as ORC."""

import sys

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("exchange_rates").getOrCreate()
source, target = sys.argv[1:]

rates = pd.DataFrame({"region": ["north", "south"], "currency": ["NOK", "EUR"], "rate": [0.1, 1.1]})
sales = spark.read.parquet(f"{source}/sales")
converted = sales.join(spark.createDataFrame(rates), "region").select(
    "order_id", "currency", F.round(F.col("amount") * F.col("rate"), 2).alias("amount")
)
converted.write.mode("overwrite").orc(f"{target}/converted")
