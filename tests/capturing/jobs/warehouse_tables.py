"""Load the tables of a warehouse by SQL."""

import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("warehouse_tables").getOrCreate()
source, target = sys.argv[1:]

spark.sql("CREATE DATABASE IF NOT EXISTS shop")
spark.sql("DROP TABLE IF EXISTS shop.regions")
spark.sql("DROP TABLE IF EXISTS shop.totals")
spark.sql(
    "CREATE TABLE shop.regions (region STRING, manager STRING) USING parquet "
    f"LOCATION '{target}/regions'"
)
spark.sql("INSERT INTO shop.regions VALUES ('north', 'Ada'), ('south', 'Bo')")
spark.sql(
    "CREATE TABLE shop.totals (manager STRING, sold DOUBLE) USING parquet "
    f"LOCATION '{target}/totals'"
)
spark.read.parquet(f"{source}/sales").createOrReplaceTempView("sales")
spark.sql("""
    INSERT OVERWRITE TABLE shop.totals
    SELECT manager, SUM(amount) FROM sales JOIN shop.regions USING (region) GROUP BY manager
""")
