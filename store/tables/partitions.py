"""Partitions of triples: one Parquet file each, sorted by dst.

Only an erasure changes one, which keeps its name and its rows' places, ends and order."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from provhouse.model.columns import ORIGIN, TRIPLE
from provhouse.model.errors import Damaged, Unavailable

from .delta import write_parquet

UNKNOWN_ORIGIN = 0
"""The origin of triples that were brought before origins were kept."""


def partition_file(partition: int) -> str:
    """The file name of a partition."""
    return f"{partition:010d}.parquet"


def partition_path(folder: Path, partition: int) -> Path:
    """Where a partition lies in the folder of the table ``triples``."""
    return folder / partition_file(partition)


def write_partition(rows: pa.Table, path: Path) -> None:
    """Write a partition; rows by dst, without the column ``partition``, which Delta's log has."""
    write_parquet(rows, path)


def read_partition(path: Path, columns: Sequence[str] = TRIPLE) -> pa.Table:
    """The triples of a partition: src, dst, op, attributes; texts as plain columns.

    A file of before origins were kept has an unknown one for all.
    """
    try:
        # Three times as quick as a data set of one file.
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            rows = file.read(list(columns))
            if ORIGIN in columns and ORIGIN not in rows.column_names:
                none = pa.repeat(pa.scalar(UNKNOWN_ORIGIN, pa.int32()), rows.num_rows)
                rows = rows.append_column(ORIGIN, none)
            return rows
    except (OSError, pa.ArrowException) as error:
        raise Damaged(
            f"A partition of triples should be readable at {path}",
            f"It is not: {str(error).splitlines()[0]}",
            "Bring the file back from a backup",
        ) from error


@contextmanager
def unless_damaged(paths: Iterable["str | Path"]) -> Iterator[None]:
    """Around a job that reads these partitions: raises Damaged if it fails over one of them.

    What a task says reaches the driver as text only, so the driver looks for itself.
    """
    try:
        yield
    except Unavailable:
        raise
    except Exception:
        for path in paths:
            read_partition(Path(path))
        raise
