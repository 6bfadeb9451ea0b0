"""Load a JSON document of several lines, one row for each rule."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("nested_settings").getOrCreate()
source, target = sys.argv[1:]

shops = spark.read.option("multiLine", True).json(f"{source}/settings.json")
rules = shops.select("shop", F.explode("rules").alias("rule")).select("shop", "rule.*")
rules.write.mode("overwrite").parquet(f"{target}/rules")
