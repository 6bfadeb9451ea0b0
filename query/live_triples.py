"""All triples that live, as Spark reads them once some have died.

Delta knows no rows by their places in a file, and only these tell which have died. So the tasks
read the partitions themselves.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import I64
from provhouse.model.columns import TRIPLE
from provhouse.store.cache.blocks import SENT
from provhouse.store.tables.partitions import partition_path, read_partition
from provhouse.store.tables.ranges import Ranges, places
from provhouse.store.tables.snapshot import Snapshot

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FORM = "src long, dst long, op string, attributes string"


def living(session: "SparkSession", snapshot: Snapshot) -> "DataFrame":
    """The visible triples that live: src, dst, op, attributes."""
    numbers = snapshot.partitions
    folder = snapshot.layout.table(snapshot.commit.base, "triples")
    read = _Read(folder, numbers, snapshot.deaths)
    return session.range(0, len(numbers), 1, len(numbers)).mapInArrow(read, FORM)


@dataclass(frozen=True)
class _Read:
    """Reads partitions, which rows of a data frame name by their places among them."""

    folder: Path
    partitions: I64
    dead: Ranges

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for partition in self.partitions[np.asarray(batch.column(0))].tolist():
                rows = read_partition(partition_path(self.folder, partition), TRIPLE)
                dead = self.dead.has(places(partition, np.arange(rows.num_rows)))
                yield from rows.filter(pa.array(~dead)).cast(SENT).to_batches()
