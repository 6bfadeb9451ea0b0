"""Keep the newest version of each customer from several extracts."""

import sys

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("latest_version").getOrCreate()
source, target = sys.argv[1:]

extracts = spark.read.option("header", True).csv(
    [f"{source}/customers_1.csv", f"{source}/customers_2.csv"]
)
newest = Window.partitionBy("id").orderBy(F.col("updated").desc(), "name")
latest = extracts.withColumn("n", F.row_number().over(newest)).where("n = 1").drop("n")
latest.write.mode("overwrite").parquet(f"{target}/customers")
