"""Keep the history of customers: a row is valid from one change to the next."""

import sys

from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("scd2_rewrite").getOrCreate()
source, target = sys.argv[1:]

dimension = spark.read.parquet(f"{source}/dimension").select("id", "name", "city", "valid_from")
changes = spark.read.csv(f"{source}/customers_2.csv", header=True).select(
    F.col("id").cast("long"), "name", "city", F.to_date("updated").alias("valid_from")
)
versions = Window.partitionBy("id").orderBy("valid_from")
changed = F.lag(F.struct("name", "city")).over(versions)
history = (
    dimension.unionByName(changes)
    .withColumn("same", F.coalesce(changed == F.struct("name", "city"), F.lit(False)))
    .where(~F.col("same"))
    .withColumn("valid_to", F.lead("valid_from").over(versions))
    .withColumn("is_current", F.col("valid_to").isNull())
    .drop("same")
)
history.write.mode("overwrite").parquet(f"{target}/dimension")
