"""Write the monthly report of sales, with subtotals, as one CSV file."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("sales_report").getOrCreate()
source, target = sys.argv[1:]

sales = spark.read.parquet(f"{source}/sales")
report = sales.rollup("region", F.month("sold_at").alias("month")).agg(
    F.round(F.sum("amount"), 2).alias("sold"), F.count("*").alias("orders")
)
report.orderBy("region", "month").coalesce(1).write.mode("overwrite").csv(
    f"{target}/report", header=True
)
