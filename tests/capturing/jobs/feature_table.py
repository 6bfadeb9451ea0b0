"""Compute features of customers for a model."""

import sys

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("feature_table").getOrCreate()
source, target = sys.argv[1:]

sales = spark.read.parquet(f"{source}/sales")
features = sales.groupBy("customer_id").agg(
    F.count("*").alias("orders"),
    F.sum("amount").alias("spent"),
    F.max("sold_at").alias("last_sold"),
    F.countDistinct("product_id").alias("products"),
    F.avg(F.when(F.col("region") == "north", F.col("amount"))).alias("northern"),
)
features = features.withColumn(
    "quartile", F.ntile(4).over(Window.orderBy(F.desc("spent"), "customer_id"))
)
by_region = sales.groupBy("customer_id").pivot("region", ["north", "south"]).sum("amount")
features.join(by_region, "customer_id").write.mode("overwrite").parquet(f"{target}/features")
