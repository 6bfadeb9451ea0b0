"""Add the names of states to orders, using a small table in the program."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("lookup_join").getOrCreate()
source, target = sys.argv[1:]

states = spark.createDataFrame(
    [("P", "paid"), ("S", "shipped"), ("C", "cancelled")], ["status", "status_name"]
)
orders = spark.read.csv(f"{source}/orders.csv", header=True)
named = orders.join(F.broadcast(states), "status", "left").select("id", "product", "status_name")
named.coalesce(1).write.mode("overwrite").csv(f"{target}/named", header=True)
