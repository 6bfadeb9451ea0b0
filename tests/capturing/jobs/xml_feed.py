"""Load the products of a supplier from XML."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("xml_feed").getOrCreate()
source, target = sys.argv[1:]

products = spark.read.format("xml").option("rowTag", "product").load(f"{source}/feed.xml")
stocked = products.where(F.col("stock") > 0).select(
    "_sku", "title", F.col("price").cast("decimal(8,2)")
)
stocked.write.mode("overwrite").parquet(f"{target}/products")
