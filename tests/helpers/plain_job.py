"""A Spark job in SQL that uses no part of provhouse: it runs with any PySpark.

Arguments: a file with SQL statements, each ending with a semicolon and a line break.
"""

import sys

from pyspark.sql import SparkSession

spark = SparkSession.builder.master("local[2]").getOrCreate()
with open(sys.argv[1], encoding="utf-8") as file:
    for statement in file.read().split(";\n"):
        if statement.strip():
            spark.sql(statement)
spark.stop()
