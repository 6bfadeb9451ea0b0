"""Partitions of triples: one Parquet file each, and the same kept in Spark's memory for reading.

A partition never changes, so a cached one never goes stale. Reading is one Spark job on exactly the
partitions that were named; each task keeps the rows of the wanted items, which lie together since a
partition is sorted by dst, and sends them back as an Arrow stream.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from provhouse.model.arrays import I64
from provhouse.model.columns import ATTRIBUTES, DST, OP, SRC, TRIPLE
from provhouse.model.errors import Damaged, Unavailable

from .spark import working
from .tables import write_parquet
from .workers import settle

if TYPE_CHECKING:
    from pyspark import RDD, SparkContext

_CODED = pa.dictionary(pa.int32(), pa.string())
BLOCK = pa.schema([(SRC, pa.int64()), (DST, pa.int64()), (OP, _CODED), (ATTRIBUTES, _CODED)])
"""Triples as they are kept in memory: items as numbers, texts each once a block."""
SENT = pa.schema(
    [(SRC, pa.int64()), (DST, pa.int64()), (OP, pa.string()), (ATTRIBUTES, pa.string())]
)
"""Triples as they are sent: few of a block, which must not bring all of its texts along."""


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
    """The triples of a partition: src, dst, op, attributes; texts as plain columns."""
    try:
        with pq.ParquetFile(path) as file:  # three times as quick as a data set of one file
            return file.read(list(columns))
    except (OSError, pa.ArrowException) as error:
        raise Damaged(
            f"A partition of triples should be readable at {path}",
            f"It is not: {str(error).splitlines()[0]}",
            "Bring the file back from a backup",
        ) from error


def as_block(rows: pa.Table, form: pa.Schema = BLOCK) -> bytes:
    """Triples as bytes, to keep or (``SENT``) to send."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, form) as out:
        out.write_table(rows.cast(form).combine_chunks())
    block: bytes = sink.getvalue().to_pybytes()
    return block


def from_block(block: bytes) -> pa.Table:
    """The triples of a block, without a copy."""
    return pa.ipc.open_stream(pa.py_buffer(block)).read_all()


def joined(blocks: Iterable[bytes]) -> pa.Table:
    """The triples of several sent blocks as one table."""
    return pa.concat_tables([SENT.empty_table(), *map(from_block, blocks)]).combine_chunks()


class Partitions:
    """The partitions of a table, cached in Spark as they are first read."""

    def __init__(self, context: "SparkContext", folder: Path, partitions: I64) -> None:
        paths = [str(partition_path(folder, p)) for p in partitions.tolist()]
        self._paths = paths
        self._context = context
        self._partitions = partitions
        self._blocks: RDD[bytes] = context.parallelize(paths, max(len(paths), 1)).map(_load)
        self._blocks.persist()

    def fetch(self, partitions: I64, first: I64, last: I64) -> pa.Table:
        """The triples of these partitions whose dst is in one of the ranges first to last.

        Runs one Spark job with one task for each partition named, and no other.
        """
        chosen = np.searchsorted(self._partitions, partitions).tolist()
        with unless_damaged([self._paths[p] for p in chosen]):
            blocks = run_on(self._context, self._blocks, partial(_within, first, last), chosen)
        return joined(blocks)

    def release(self) -> None:
        """Give the memory back; quiet where Spark has ended, which gives it back too."""
        with suppress(Exception):
            self._blocks.unpersist()


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


def run_on(
    context: "SparkContext",
    blocks: "RDD[bytes]",
    select: Callable[[pa.Table], pa.Table],
    chosen: Sequence[int],
) -> list[bytes]:
    """What ``select`` keeps of the blocks in the chosen partitions; empty results are left out."""
    if not chosen:
        return []
    with working():
        return context.runJob(blocks, partial(_select, select), list(chosen))


def _load(path: str) -> bytes:
    return as_block(read_partition(Path(path)))


def _select(select: Callable[[pa.Table], pa.Table], blocks: Iterable[bytes]) -> Iterator[bytes]:
    for block in blocks:  # to the end: a worker whose input is left unread is thrown away
        kept = select(from_block(block))
        if kept.num_rows:
            yield as_block(kept, SENT)
    settle()


def _within(first: I64, last: I64, rows: pa.Table) -> pa.Table:
    """The rows, sorted by dst, whose dst is in one of the ranges."""
    dst = np.asarray(rows[DST])
    starts = np.searchsorted(dst, first, "left")
    ends = np.searchsorted(dst, last, "right")
    parts = [
        rows.slice(start, end - start)
        for start, end in zip(starts, ends, strict=True)
        if end > start
    ]
    return pa.concat_tables(parts) if parts else rows.slice(0, 0)
