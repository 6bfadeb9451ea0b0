"""Read and write partitions of triples. A partition is one Parquet file, sorted by dst.

Only an erasure changes a partition. The file then keeps its name, and each row keeps its place,
src and dst.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from provhouse.model.arrays import PartitionNumber
from provhouse.model.columns import ORIGIN, TRIPLE
from provhouse.model.errors import Damaged, Unavailable

from .delta import write_parquet

UNKNOWN_ORIGIN = 0
"""The origin of triples ingested before origins were recorded."""


def partition_file(partition: PartitionNumber) -> str:
    """Return the file name of a partition."""
    return f"{partition:010d}.parquet"


def partition_path(folder: Path, partition: PartitionNumber) -> Path:
    """Return the path of a partition in the folder of the table ``triples``."""
    return folder / partition_file(partition)


def write_partition(rows: pa.Table, path: Path) -> None:
    """Write a partition; the rows must be sorted by dst and lack the column ``partition``.

    Delta's log has the value of that column.
    """
    write_parquet(rows, path)


def read_partition(path: Path, columns: Sequence[str] = TRIPLE) -> pa.Table:
    """Return columns of a partition's triples; strings are plain, not encoded as dictionaries.

    If the file has no column ``origin``, all origins are ``UNKNOWN_ORIGIN``. Raises Damaged if the
    file cannot be read.
    """
    try:
        # This is three times as fast as reading the file as an Arrow data set.
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            rows = file.read(list(columns))
            if ORIGIN in columns and ORIGIN not in rows.column_names:
                none = pa.repeat(pa.scalar(UNKNOWN_ORIGIN, pa.int32()), rows.num_rows)
                rows = rows.append_column(ORIGIN, none)
            return rows
    except (OSError, pa.ArrowException) as error:
        raise Damaged(
            f"Cannot read the partition {path}",
            f"Reading it fails: {str(error).splitlines()[0]}",
            "Restore the file from a backup",
        ) from error


@contextmanager
def unless_damaged(paths: Iterable["str | Path"]) -> Iterator[None]:
    """Raise Damaged if a Spark job in the block fails because of one of these partitions.

    A task's error reaches the driver only as text, so the driver reads the partitions itself.
    """
    try:
        yield
    except Unavailable:
        raise
    except Exception:
        for path in paths:
            read_partition(Path(path))
        raise
