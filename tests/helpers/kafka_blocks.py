"""Captured blocks that read a topic of Kafka, run by a Spark with its source of Kafka.

Arguments: a folder, the address of a broker, and the jars of Spark's source. The program fills the
topic ``orders``, leaves the lineage of the blocks in ``landing``, and prints what was refused as
JSON. Record ``n`` has the partition ``n % 2`` and the offset ``n // 2``.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

COUNT = 10
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
        return reader.options(**{"subscribe": "orders", **options}).load()

    def send(rows: DataFrame) -> None:
        writer = rows.write.format("kafka").option("kafka.bootstrap.servers", broker)
        writer.option("topic", "orders").save()

    def numbers(rows: DataFrame) -> DataFrame:
        return rows.select(F.col("value").cast("string").cast("long").alias("n"), "key")

    def block(run: Callable[[], object]) -> None:
        keys: dict[str, str | list[str]] = {"totals": "rest", "later": "n", "both": "n"}
        with provhouse.capture(spark, landing=str(folder / "landing"), keys=keys):
            run()

    def out(frame: DataFrame, name: str) -> Callable[[], object]:
        return lambda: frame.write.parquet(str(folder / name))

    key = "CASE WHEN id % 3 > 0 THEN concat('k', id % 3) END AS key"
    values = spark.range(0, COUNT, 1, 1).selectExpr(
        "CAST(id AS string) AS value", key, "CAST(id % 2 AS int) AS partition"
    )
    send(values)
    totals = numbers(read()).where("n > 1").groupBy((F.col("n") % 4).alias("rest")).sum("n")
    block(out(totals, "totals"))
    block(out(numbers(read(startingOffsets=LATER)), "later"))
    twice = numbers(read()).alias("a").join(numbers(read()).alias("b"), F.expr("a.key = b.key"))
    block(out(twice.groupBy(F.col("a.n").alias("n")).agg(F.max("b.n").alias("most")), "both"))
    block(out(read(startingOffsets=LATER, endingOffsets=LATER).select("value"), "nothing"))

    def stream() -> None:
        source = spark.readStream.format("kafka").option("kafka.bootstrap.servers", broker)
        rows = source.option("subscribe", "orders").option("startingOffsets", "earliest").load()
        writer = rows.writeStream.trigger(availableNow=True).foreachBatch(
            lambda batch, _: batch.write.parquet(str(folder / "stream"))
        )
        writer.start().awaitTermination()

    found: dict[str, str] = {}
    refused: dict[str, Callable[[], object]] = {
        "several": out(read(subscribe="orders,others"), "several"),
        "pattern": out(
            spark.read.format("kafka")
            .option("kafka.bootstrap.servers", broker)
            .option("subscribePattern", "ord.*")
            .load(),
            "pattern",
        ),
        "write": lambda: send(values),
        "stream": stream,
    }
    for name, run in refused.items():
        try:
            block(run)
        except Exception as error:
            found[name] = f"{error} {getattr(error, 'found', '')}"
    found["count"] = str(read().count())
    print(json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
