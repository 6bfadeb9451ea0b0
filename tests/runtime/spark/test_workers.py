"""PySpark collects garbage in its workers after each task, but not among imported modules."""

import gc

import pyarrow as pa
from pyspark.sql import SparkSession

from provhouse.store.cache.triple_blocks import as_block, from_block, run_on


def test_workers_freeze_what_they_imported(spark: SparkSession) -> None:
    rows = pa.table({"src": [1], "dst": [2], "op": ["x"], "attributes": [""]})
    context = spark.sparkContext
    blocks = context.parallelize([as_block(rows)], 1)
    for _ in range(10):  # enough jobs for each worker to run a task
        sent = run_on(context, blocks, lambda block: block, [0])
        assert from_block(sent[0]).equals(rows)
    frozen = context.parallelize([0], 1).map(lambda _: gc.get_freeze_count()).collect()
    assert frozen[0] > 10_000
