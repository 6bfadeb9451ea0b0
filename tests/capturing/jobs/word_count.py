"""Count the words of a text."""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

spark = SparkSession.builder.appName("word_count").getOrCreate()
source, target = sys.argv[1:]

lines = spark.read.text(f"{source}/notes.txt")
words = lines.select(F.explode(F.split(F.lower("value"), "[^a-z]+")).alias("word")).where(
    "word <> ''"
)
counts = words.groupBy("word").count().orderBy(F.desc("count"), "word")
counts.write.mode("overwrite").csv(f"{target}/words")
