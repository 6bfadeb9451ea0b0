"""Count missing values, and append the figures to a table of metrics."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("quality_metrics").getOrCreate()
source, target = sys.argv[1:]

orders = spark.read.csv(f"{source}/orders.csv", header=True)
missing = orders.select(
    [F.sum(F.col(c).isNull().cast("int")).alias(c) for c in orders.columns]
).first()
rows = [("orders", column, int(missing[column]), orders.count()) for column in orders.columns]  # type: ignore[index]
metrics = spark.createDataFrame(
    rows, "table_name STRING, column_name STRING, missing INT, total INT"
)
metrics.write.mode("append").json(f"{target}/metrics")
