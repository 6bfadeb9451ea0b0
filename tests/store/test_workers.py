"""PySpark's collection after a task finds nothing to look at once a worker has settled."""

import gc
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession

from provhouse.store.partitions import Partitions, partition_path, write_partition


def test_workers_freeze_what_they_imported(spark: SparkSession, tmp_path: Path) -> None:
    numbers = np.arange(10)
    texts = {"op": ["x"] * 10, "attributes": [""] * 10}
    write_partition(
        pa.table({"src": numbers, "dst": numbers, **texts}), partition_path(tmp_path, 1)
    )
    context = spark.sparkContext
    partitions = Partitions(context, tmp_path, np.array([1]))
    for _ in range(10):  # each of the workers has had one
        assert partitions.fetch(np.array([1]), numbers[:1], numbers[4:5]).num_rows == 5
    partitions.release()
    frozen = context.parallelize([0], 1).map(lambda _: gc.get_freeze_count()).collect()
    assert frozen[0] > 10_000
