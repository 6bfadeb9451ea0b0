"""A Spark job in pure SQL, captured by settings alone, and statements that capture refuses.

Arguments: the folder of the TPC-H tables, the folder for results, the warehouse, and the names of
the queries.
"""

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import provhouse
from provhouse.store.warehouse.captured_blocks import waiting_blocks
from provhouse.store.warehouse.layout import Layout

QUERIES = Path(__file__).parent.parent / "capturing" / "tpch"


def session(**settings: str) -> SparkSession:
    """Start Spark as a job does. The job's own extensions replace those of the command line."""
    builder = SparkSession.builder.master("local[2]").appName("job")
    builder = builder.config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "8")
    builder = builder.config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
    for name, value in settings.items():
        builder = builder.config(f"spark.provhouse.{name}", value)
    return builder.getOrCreate()


def main(source: Path, out: Path, warehouse: Path, queries: Sequence[str]) -> None:
    """Write a table for each query, try statements that must fail, and store the errors as JSON."""
    spark = session()
    for table in sorted(source.iterdir()):
        spark.sql(
            f"CREATE TEMPORARY VIEW {table.name} USING parquet OPTIONS (path '{table.as_uri()}')"
        )
    for name in queries:
        text = (QUERIES / f"{name}.sql").read_text(encoding="utf-8").strip().rstrip(";")
        spark.sql(f"CREATE TABLE {name} USING parquet LOCATION '{out / name}' AS {text}")
    found = {"waiting": str(len(waiting_blocks(Layout(warehouse))))}
    orders = spark.table("orders")
    found["nested"] = error(lambda: provhouse.capture(spark, warehouse).__enter__())
    folded = orders.groupBy(F.expr("named_struct('c', o_comment COLLATE UTF8_LCASE)")).count()
    found["collated"] = error(lambda: folded.write.parquet(str(out / "folded")))
    spark.conf.set("spark.provhouse.keys.orders", "o_custkey")
    found["changed"] = error(lambda: orders.write.parquet(str(out / "changed")))
    spark.conf.set("spark.provhouse.budgetMb", "much")
    found["budget"] = error(lambda: orders.write.parquet(str(out / "changed")))
    spark.stop()
    spark = session(wharehouse="x")
    found["unknown"] = error(lambda: spark.range(1).count())
    (out / "errors.json").write_text(json.dumps(found), encoding="utf-8")
    sys.exit(3)


def error(work: Callable[[], object]) -> str:
    """Return the message of the error that ``work`` raises."""
    try:
        work()
    except Exception as raised:
        return str(raised)
    return ""


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4:])
