"""Update the customers of a Delta table and insert new ones."""

import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("upsert_delta").getOrCreate()
source, target = sys.argv[1:]

first = spark.read.csv(f"{source}/customers_1.csv", header=True)
first.write.format("delta").mode("overwrite").save(f"{target}/customers")
second = spark.read.csv(f"{source}/customers_2.csv", header=True).dropDuplicates(["id"])
second.createOrReplaceTempView("new")
spark.sql(f"""
    MERGE INTO delta.`{target}/customers` old USING new ON old.id = new.id
    WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *
""")
