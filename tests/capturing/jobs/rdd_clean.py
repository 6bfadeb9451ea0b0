"""Clean records with functions on an RDD."""

import sys

from pyspark.sql import Row, SparkSession

spark = SparkSession.builder.appName("rdd_clean").getOrCreate()
source, target = sys.argv[1:]


def cleaned(row: Row) -> Row:
    """Return a record with a name in capital letters and a number of tags."""
    tags = row.tags or []
    return Row(id=row.id, name=(row.name or "").strip().upper(), tags=len(tags))


customers = spark.read.json(f"{source}/customers.json")
clean = customers.rdd.filter(lambda row: row.email is not None).map(cleaned).toDF()
clean.write.mode("overwrite").parquet(f"{target}/customers")
