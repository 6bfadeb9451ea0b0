"""Store a web service's responses, which the program holds as JSON strings."""

import json
import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("read_api_answers").getOrCreate()
source, target = sys.argv[1:]

answers = [
    json.dumps({"city": city, "reading": {"celsius": celsius, "at": f"2026-01-0{day}"}})
    for day, (city, celsius) in enumerate([("Oslo", -4.5), ("Rome", 11.0), ("Cairo", 18.25)], 1)
]
weather = spark.read.json(spark.sparkContext.parallelize(answers))
weather.select("city", "reading.*").write.mode("overwrite").parquet(f"{target}/weather")
