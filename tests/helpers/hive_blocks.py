"""Captured blocks that read and write tables of a Hive metastore, run by a session with Derby.

Argument: a folder. The program leaves the lineage of the blocks in ``landing`` there, and prints
what was refused as JSON.
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

KEYS: dict[str, str | list[str]] = {
    "orders": "id", "totals": "customer", "days": "id", "copied": "id", "kept": "id",
}  # fmt: skip
ROWS = [(1, "ann", 5), (2, "bob", 6), (3, "ann", None), (4, None, 8), (5, "bob", 0)]
"""The orders: id, customer, price. The last two are appended in another file."""
WRITES = (
    "CREATE TABLE totals STORED AS PARQUET AS "
    "SELECT customer, sum(price) AS price FROM orders WHERE customer IS NOT NULL GROUP BY customer",
    "INSERT INTO days PARTITION (odd) SELECT id, price, id % 2 = 1 AS odd FROM orders",
    "INSERT OVERWRITE TABLE copied SELECT d.id, t.price FROM days d "
    "JOIN orders o ON d.id = o.id JOIN totals t ON t.customer = o.customer WHERE d.odd",
    "INSERT INTO kept SELECT id, customer FROM orders WHERE id > 2",  # ORC
)
REFUSED = {
    "read": "CREATE TABLE of_text STORED AS PARQUET AS SELECT * FROM written_as_text",
    "write": "INSERT INTO written_as_text SELECT id, customer FROM orders",
    "create": "CREATE TABLE new_text STORED AS TEXTFILE AS SELECT id FROM orders",
}
"""Statements that read or write rows by Hive's own classes."""


def main(folder: Path) -> None:
    """Make the tables, run the blocks, and print the refusals."""
    from pyspark.sql import SparkSession

    import provhouse

    settings: dict[str, bool | float | int | str | None] = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "hive"),
        "spark.hadoop.javax.jdo.option.ConnectionURL": (
            f"jdbc:derby:;databaseName={folder / 'metastore'};create=true"
        ),
        "spark.hadoop.hive.exec.dynamic.partition.mode": "nonstrict",
    }
    builder = SparkSession.builder.master("local[2]").config(map=settings)
    spark = builder.enableHiveSupport().getOrCreate()
    assert spark.conf.get("spark.sql.catalogImplementation") == "hive"
    spark.sql("CREATE TABLE orders (id bigint, customer string, price bigint) STORED AS PARQUET")
    for rows in (ROWS[:3], ROWS[3:]):
        frame = spark.createDataFrame(rows, "id bigint, customer string, price bigint")
        frame.coalesce(1).write.insertInto("orders")
    spark.sql(
        "CREATE TABLE days (id bigint, price bigint) PARTITIONED BY (odd boolean) STORED AS PARQUET"
    )
    spark.sql("CREATE TABLE copied (id bigint, price bigint) STORED AS PARQUET")
    spark.sql("CREATE TABLE kept (id bigint, customer string) STORED AS ORC")
    spark.sql("CREATE TABLE written_as_text (id bigint, customer string) STORED AS TEXTFILE")
    spark.sql("INSERT INTO written_as_text VALUES (1, 'ann')")

    def block(run: Callable[[], object]) -> None:
        with provhouse.capture(spark, landing=str(folder / "landing"), keys=KEYS):
            run()

    for statement in WRITES:
        block(partial(spark.sql, statement))
    found: dict[str, object] = {}
    for name, statement in REFUSED.items():
        try:
            block(partial(spark.sql, statement))
        except Exception as error:
            found[name] = f"{error} {getattr(error, 'found', '')}"
    found["rows"] = spark.table("written_as_text").count()
    found["copied"] = sorted(map(tuple, spark.table("copied").collect()))
    print(json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
