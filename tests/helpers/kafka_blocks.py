"""Captured blocks that read a topic of Kafka, run by a Spark with its source of Kafka.

Arguments: a folder, the address of a broker, and the jars of Spark's source. The program fills the
topics ``orders``, ``others`` and ``clicks``, leaves the lineage of the blocks in ``landing``, and
prints what was refused as JSON. Record ``n`` of a topic has the partition ``n % 2`` and the offset
``n // 2``. Its value is ``n``, and in the topic ``others`` ``n + COUNT``.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

COUNT = 10
CLICKS = 14
"""The number of records of the topic ``clicks``, of which ``COUNT`` are sent before the others."""
LATER = '{"orders": {"0": 2, "1": 3}}'
"""The offsets at which the block ``later`` begins to read."""


def main(folder: Path, broker: str, jars: str) -> None:
    """Fill the topic, run the blocks, and print the refusals."""
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql import functions as F

    import provhouse

    settings: dict[str, bool | float | int | str | None] = {
        "spark.jars": jars,
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
    }
    spark = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()

    def read(**options: str) -> DataFrame:
        reader = spark.read.format("kafka").option("kafka.bootstrap.servers", broker)
        return reader.options(**(options if one_of & options.keys() else orders | options)).load()

    def send(rows: DataFrame, topic: str = "orders") -> None:
        writer = rows.write.format("kafka").option("kafka.bootstrap.servers", broker)
        writer.option("topic", topic).save()

    def values(start: int, end: int, first: int = 0) -> DataFrame:
        key = "CASE WHEN id % 3 > 0 THEN concat('k', id % 3) END AS key"
        value = f"CAST(id + {first} AS string) AS value"
        rows = spark.range(start, end, 1, 1)
        return rows.selectExpr(value, key, "CAST(id % 2 AS int) AS partition")

    def numbers(rows: DataFrame) -> DataFrame:
        return rows.select(F.col("value").cast("string").cast("long").alias("n"), "key")

    def block(run: Callable[[], object], **more: str | list[str]) -> None:
        keys: dict[str, str | list[str]] = {
            "totals": "rest", "later": "n", "both": "n", "several": "n", "mixed": "rest",
            "assigned": "n", "kept": "n", "sums": ["batch", "rest"],
        }  # fmt: skip
        with provhouse.capture(spark, landing=str(folder / "landing"), keys=keys | more):
            run()

    def out(frame: DataFrame, name: str) -> Callable[[], object]:
        return lambda: frame.write.parquet(str(folder / name))

    one_of = {"subscribe", "subscribePattern", "assign"}
    orders = {"subscribe": "orders"}
    send(values(0, COUNT))
    send(values(0, COUNT, COUNT), "others")
    send(values(0, COUNT), "clicks")
    totals = numbers(read()).where("n > 1").groupBy((F.col("n") % 4).alias("rest")).sum("n")
    block(out(totals, "totals"))
    block(out(numbers(read(startingOffsets=LATER)), "later"))
    twice = numbers(read()).alias("a").join(numbers(read()).alias("b"), F.expr("a.key = b.key"))
    block(out(twice.groupBy(F.col("a.n").alias("n")).agg(F.max("b.n").alias("most")), "both"))
    block(out(read(startingOffsets=LATER, endingOffsets=LATER).select("value"), "nothing"))
    every = numbers(read(subscribe="others, orders"))
    block(out(every, "several"))
    block(out(every.groupBy((F.col("n") % 4).alias("rest")).sum("n"), "mixed"))
    block(out(numbers(read(assign='{"orders": [1]}')), "assigned"), orders=["partition", "offset"])

    def each(batch: DataFrame, number: int) -> None:
        rows = numbers(batch).withColumn("batch", F.lit(number))
        rows.write.mode("append").parquet(str(folder / "kept"))
        sums = rows.groupBy("batch", (F.col("n") % 3).alias("rest")).sum("n")
        sums.write.mode("append").parquet(str(folder / "sums"))

    def stream(checkpoint: str = "checkpoint", **options: str) -> None:
        source = spark.readStream.format("kafka").option("kafka.bootstrap.servers", broker)
        source = source.option("startingOffsets", "earliest").option("maxOffsetsPerTrigger", 4)
        writer = source.options(**options).load().writeStream.trigger(availableNow=True)
        writer = writer.option("checkpointLocation", str(folder / checkpoint))
        writer.foreachBatch(each).start().awaitTermination()

    block(lambda: stream(subscribe="clicks"))
    send(values(COUNT, CLICKS), "clicks")
    block(lambda: stream(subscribe="clicks"))

    found: dict[str, str] = {}
    refused: dict[str, Callable[[], object]] = {
        "pattern": out(read(subscribePattern="ord.*"), "pattern"),
        "pattern of a stream": lambda: stream("others", subscribePattern="click.*"),
        "key": out(read(), "key"),
        "write": lambda: send(values(0, COUNT)),
    }
    more: dict[str, dict[str, str | list[str]]] = {"key": {"orders": "timestamp"}}
    for name, run in refused.items():
        try:
            block(run, **more.get(name, {}))
        except Exception as error:
            found[name] = f"{error} {getattr(error, 'found', '')}"
    found["count"] = str(read().count())
    print(json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
