"""A captured block that uses all of capture's calls into Spark's JVM, to test any PySpark.

Arguments: the folder of the table orders, the folder for results, the warehouse, and the home of
Neo4j. The program prints its findings as JSON.
"""

import json
import sys

from pyspark.sql import DataFrame, SparkSession

import provhouse
from provhouse.runtime.spark.pyspark_internals import java_session

orders, out, warehouse, neo4j_home = sys.argv[1:]
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
jvm, _ = java_session(spark)
spark.conf.set("spark.sql.shuffle.partitions", "2")
names = ("orders", "cleaned", "report", "named", "copied", "once")
keys = {**dict.fromkeys(names, "id"), "report": "customer", "named": "customer"}


def copy(batch: DataFrame, number: int) -> None:
    """Write a batch of the stream."""
    batch.write.mode("append").parquet(f"{out}/copied")


with provhouse.capture(spark, warehouse, keys=keys, neo4j_home=neo4j_home) as run:
    read = spark.read.parquet(orders)
    report = run.mark(read.where("price > 10"), "cleaned").groupBy("customer").sum("price")
    report = report.withColumnRenamed("sum(price)", "total")
    report.write.parquet(f"{out}/report")
    cached = read.where("price < 40").cache()
    cached.select("customer").distinct().write.parquet(f"{out}/named")
    stream = spark.readStream.schema(read.schema).parquet(orders).where("price > 20")
    stream.writeStream.foreachBatch(copy).trigger(availableNow=True).start().awaitTermination()
    once = stream.dropDuplicates(["id"]).writeStream.partitionBy("customer").format("parquet")
    once = once.option("checkpointLocation", f"{out}/checkpoint").trigger(availableNow=True)
    once.start(f"{out}/once").awaitTermination()

row = run.trace("report").where("customer = 'ann'")
three = run.trace("orders").where("id = 3")
again = run.replay(report, without=three)
found = {
    "version": f"{spark.version} {jvm.scala.util.Properties.versionNumberString()}",
    "back": sorted(each.id for each in row.go_back_all().records().collect()),
    "again": sorted([each.customer, each.total] for each in again.collect()),
}
print(json.dumps(found))
spark.stop()
