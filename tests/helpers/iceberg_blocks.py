"""Captured blocks that read and write Iceberg tables, run by a Spark for which Iceberg has a jar.

Arguments: a folder, and the jar of Iceberg. The program makes ``ice.db`` in the folder, leaves the
lineage of the blocks in ``landing`` and ``more`` there, and prints what was refused as JSON.
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

KEYS: dict[str, str | list[str]] = {
    "orders": "id", "customers": "name", "totals": "customer", "cities": "id", "report": "city",
    "days": ["day", "customer"], "sorted": "id",
}  # fmt: skip
ORDERS = "SELECT id, concat('c', id % 5) AS customer, id % 7 AS price, day"
TOTALS = "SELECT customer, sum(price) AS total, count(*) AS orders FROM orders"
CITIES = "SELECT o.id AS id, c.city AS city FROM orders o JOIN customers c ON o.customer = c.name"
WRITES: dict[str, tuple[str, str]] = {
    "totals": (
        "CREATE TABLE {} USING iceberg PARTITIONED BY (customer) AS",
        f"{TOTALS} WHERE price > 1 GROUP BY customer",
    ),
    "cities": ("INSERT INTO {}", f"{CITIES} WHERE o.id % 2 = 0"),
    "cities again": ("INSERT INTO {}", f"{CITIES} WHERE o.id % 2 = 1"),
    "days": (
        "INSERT INTO {}",
        "SELECT day, customer, count(*) AS orders FROM orders GROUP BY day, customer",
    ),
    "sorted": ("INSERT INTO {}", "SELECT id, customer, price FROM orders WHERE price > 2"),
    "spread": ("INSERT INTO {}", "SELECT id, customer, price FROM orders"),
    "pruned": (  # Spark finds the files of the orders at run time
        "CREATE TABLE {} USING iceberg AS",
        "SELECT o.id AS id, d.orders AS orders FROM orders o JOIN days d ON o.day = d.day "
        "WHERE d.customer = 'c1' AND d.day > DATE '2026-01-01'",
    ),
    "report": (
        "CREATE OR REPLACE TABLE {} USING iceberg AS",
        "SELECT city, count(*) AS orders, sum(id) AS ids FROM cities GROUP BY city",
    ),
    "totals again": ("INSERT OVERWRITE {}", f"{TOTALS} WHERE id > 36 GROUP BY customer"),
}
"""For each block, its statement and the query of the rows. The table is the block's first word."""
MORE = ("days", "sorted", "spread", "pruned")
"""The blocks whose rows the test of landing does not read."""
BEFORE = "SELECT customer, count(*) AS orders, sum(id) AS ids FROM {} GROUP BY customer"
"""A query of the first snapshot of the orders."""
REFUSED = {
    "truncated branch": "TRUNCATE TABLE ice.db.orders.branch_audit",
    "files of a branch": "DELETE FROM ice.db.orders.branch_audit WHERE true",
    "rows of a branch": "DELETE FROM ice.db.orders.branch_audit WHERE price = 3",
    "branch": "INSERT INTO ice.db.cities.branch_audit SELECT id, city FROM ice.db.cities",
    "compaction": "CALL ice.system.rewrite_data_files(table => 'db.cities', "
    "options => map('rewrite-all', 'true'))",
    "metadata": "INSERT INTO ice.db.cities SELECT 1, operation FROM ice.db.cities.snapshots",
    "renamed": "INSERT INTO ice.db.cities SELECT id, town FROM ice.db.renamed",
    "to renamed": "INSERT INTO ice.db.renamed SELECT id, city FROM ice.db.cities",
    "orc": "INSERT INTO ice.db.cities SELECT id, city FROM ice.db.orc",
    "to orc": "INSERT INTO ice.db.orc SELECT id, city FROM ice.db.cities",
    "elsewhere": "INSERT INTO ice.db.elsewhere SELECT id, city FROM ice.db.cities",
}
"""Statements that are refused."""


def main(folder: Path, jar: str) -> None:
    """Make the tables, run the blocks, and print the refusals."""
    from pyspark.sql import SparkSession

    import provhouse

    catalog = "spark.sql.catalog.ice"
    settings: dict[str, bool | float | int | str | None] = {
        "spark.jars": jar,
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        f"{catalog}.type": "hadoop",
        f"{catalog}.warehouse": str(folder / "ice house"),
    }
    spark = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()

    def block(
        run: Callable[[], object], keys: dict[str, str | list[str]], at: str = "more"
    ) -> None:
        with provhouse.capture(spark, landing=str(folder / at), keys=keys):
            run()

    make(spark.sql)
    for name, (statement, query) in WRITES.items():
        text = f"{statement.format('ice.db.' + name.split()[0])} {qualified(query)}"
        block(partial(spark.sql, text), KEYS, "more" if name in MORE else "landing")
    first = spark.sql("SELECT min_by(snapshot_id, committed_at) FROM ice.db.orders.snapshots")
    query = BEFORE.format(f"ice.db.orders VERSION AS OF {first.collect()[0][0]}")
    block(lambda: spark.sql(query).write.parquet(str(folder / "before")), {"orders": "id"})
    query = "SELECT id, customer FROM ice.db.changing WHERE id < 9"
    block(lambda: spark.sql(query).write.parquet(str(folder / "live")), {"changing": "id"})
    found: dict[str, object] = {}
    for name, text in REFUSED.items():
        before = snapshots(spark)
        try:
            block(partial(spark.sql, text), KEYS)
        except provhouse.ProvhouseError as error:
            found[name] = f"{error} {error.found}"
        found[f"{name} is unchanged"] = before == snapshots(spark)
    print(json.dumps(found))
    spark.stop()


def make(sql: Callable[[str], object]) -> None:
    """Make the sources, and the empty tables of the blocks."""
    days = "date_add(date'2026-01-01', CAST(id % 2 AS int)) AS day"
    partitions = "PARTITIONED BY (bucket(3, id), days(day))"
    columns = "(id bigint, customer string, price bigint, day date)"
    sql(f"CREATE TABLE ice.db.orders {columns} USING iceberg {partitions}")
    for ids in ("range(30)", "range(30, 40)"):
        sql(f"INSERT INTO ice.db.orders {ORDERS} FROM (SELECT id, {days} FROM {ids})")
    sql("ALTER TABLE ice.db.orders CREATE BRANCH audit")
    sql("CREATE TABLE ice.db.customers (name string, city string) USING iceberg "
        "TBLPROPERTIES ('format-version' = '3')")  # fmt: skip
    sql("INSERT INTO ice.db.customers SELECT concat('c', id), concat('city', id % 2) FROM range(4)")
    sql("CREATE TABLE ice.db.cities (id bigint, city string) USING iceberg "
        "TBLPROPERTIES ('format-version' = '3')")  # fmt: skip
    sql("ALTER TABLE ice.db.cities CREATE BRANCH audit")
    sql("CREATE TABLE ice.db.days (day date, customer string, orders bigint) USING iceberg "
        "PARTITIONED BY (day, truncate(1, customer))")  # fmt: skip
    sql("CREATE TABLE ice.db.sorted (id bigint, customer string, price bigint) USING iceberg "
        "PARTITIONED BY (customer)")  # fmt: skip
    sql("ALTER TABLE ice.db.sorted WRITE ORDERED BY price DESC")
    sql("CREATE TABLE ice.db.spread (id bigint, customer string, price bigint) USING iceberg "
        "PARTITIONED BY (customer, bucket(2, id)) "
        "TBLPROPERTIES ('write.distribution-mode' = 'none')")  # fmt: skip
    sql("CREATE TABLE ice.db.changing (id bigint, customer string) USING iceberg TBLPROPERTIES "
        "('write.delete.mode' = 'merge-on-read')")  # fmt: skip
    sql("INSERT INTO ice.db.changing SELECT id, 'c' FROM range(20)")
    sql("DELETE FROM ice.db.changing WHERE id IN (2, 7)")
    sql("CREATE TABLE ice.db.renamed (id bigint, city string) USING iceberg")
    sql("INSERT INTO ice.db.renamed VALUES (1, 'x')")
    sql("ALTER TABLE ice.db.renamed RENAME COLUMN city TO town")
    sql("CREATE TABLE ice.db.orc (id bigint, city string) USING iceberg "
        "TBLPROPERTIES ('write.format.default' = 'orc')")  # fmt: skip
    sql("INSERT INTO ice.db.orc VALUES (1, 'x')")
    sql("CREATE TABLE ice.db.elsewhere (id bigint, city string) USING iceberg "
        "TBLPROPERTIES ('write.object-storage.enabled' = 'true')")  # fmt: skip


def qualified(query: str) -> str:
    """Return a query whose tables are in the catalog."""
    for keyword in ("FROM", "JOIN"):
        query = query.replace(f"{keyword} ", f"{keyword} ice.db.")
    return query


def snapshots(spark: object) -> list[object]:
    """Return the snapshots of all tables."""
    tables = ("orders", "spread", "cities", "renamed", "orc", "elsewhere")
    texts = (f"SELECT snapshot_id FROM ice.db.{table}.snapshots" for table in tables)
    return sorted(row[0] for row in spark.sql(" UNION ALL ".join(texts)).collect())  # type: ignore[attr-defined]


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
