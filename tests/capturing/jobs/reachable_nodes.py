"""Find all parts of each product, level by level, with checkpoints."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("reachable_nodes").getOrCreate()
source, target = sys.argv[1:]

parts = spark.read.csv(f"{source}/parts.csv", header=True)
found = parts.select("whole", "part")
for _ in range(3):
    deeper = found.join(
        parts.select(F.col("whole").alias("part"), F.col("part").alias("next")), "part"
    )
    found = found.union(deeper.select("whole", F.col("next").alias("part"))).distinct()
    found = found.localCheckpoint()
found.write.mode("overwrite").parquet(f"{target}/parts")
