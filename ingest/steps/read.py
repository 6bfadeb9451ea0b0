"""Step 1: read every file, set its rejected rows aside, and find the distinct names."""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow.parquet as pq

from provhouse.model.errors import BadInput
from provhouse.store.names.names import Span

from ..job import Job
from ..staging import Staging
from ..summary import Reject
from .read_names import NameBucket, NamedBucket
from .read_stage import StagedFile, StageFile

BUCKET_BYTES = 256 << 20
"""The approximate number of bytes of input per bucket of names."""
SEEDS = 8
"""The number of hash seeds that are tried if two names share a hash."""


@dataclass(frozen=True)
class ReadResult:
    """The counts of rows by file and of names by bucket, and the first rejected rows."""

    files: Sequence[StagedFile]
    buckets: Sequence[NamedBucket]
    first_rejects: Sequence[Reject] = ()

    @property
    def rows(self) -> int:
        """The number of valid rows."""
        return sum(file.valid for file in self.files)

    @property
    def rejected(self) -> int:
        """The number of rejected rows."""
        return sum(file.rejected for file in self.files)

    @property
    def items(self) -> int:
        """The number of distinct names."""
        return sum(bucket.items for bucket in self.buckets)

    @property
    def two_tables(self) -> int:
        """The number of items that were named with a table other than the table they have."""
        return sum(bucket.two_tables for bucket in self.buckets)


def read(job: Job) -> ReadResult:
    """Read every file; if two names share a hash, read again with another seed."""
    for seed in range(SEEDS):
        files, buckets = _staged(job, seed)
        if not any(bucket.collided for bucket in buckets):
            break
        job.staging.clear()
    else:
        raise BadInput(
            "Different names have the same 64-bit hash",
            f"That is so under each of {SEEDS} seeds, which does not happen by chance",
            "Ingest the files one by one to find those names",
        )
    result = ReadResult(files, buckets, first_rejects(job.staging))
    if job.inputs.strict and result.rejected:
        raise BadInput(
            f"{result.rejected:,} rows lack src or dst",
            "With --strict every row must be a triple",
            "Correct the files, or leave out --strict to set those rows aside as rejects",
        )
    return result


def _staged(job: Job, seed: int) -> tuple[list[StagedFile], list[NamedBucket]]:
    sources = job.inputs.sources
    buckets = _buckets(job.inputs.bytes_unpacked)
    tasks = [
        StageFile(number, source, job.staging, buckets, seed, job.ids.ingest)
        for number, source in enumerate(sources)
    ]
    files = job.run(tasks, [os.path.getsize(source.path) for source in sources], "bytes")
    rejected = sum(file.rejected for file in files)
    job.progress.count("rows", sum(file.valid for file in files) + rejected)
    job.progress.count("rejected", rejected)
    job.progress.begin("Find the distinct names")  # this part takes long enough to be shown
    return files, _named(job, buckets, seed)


def _buckets(size: int) -> int:
    return 1 << math.ceil(math.log2(max(size / BUCKET_BYTES, 1)))


def _named(job: Job, buckets: int, seed: int) -> list[NamedBucket]:
    """Find the distinct names, and which of them are stored."""
    snapshot = job.snapshot()
    spans: list[Span] = snapshot.spans if snapshot else []
    names = job.layout.names(job.base)
    tasks = [NameBucket(bucket, job.staging, seed, names, spans) for bucket in range(buckets)]
    return job.run(tasks, [task.bytes for task in tasks])


def first_rejects(staging: Staging, most: int = 5) -> list[Reject]:
    """Return the first rejected rows, in the order of files and rows."""
    found: list[Reject] = []
    for path in staging.rejects.all():
        with pq.ParquetFile(path) as file:
            batch = next(file.iter_batches(most, columns=["file", "row", "reason"]))
        found += [Reject(**row) for row in batch.slice(0, most - len(found)).to_pylist()]
        if len(found) == most:
            break
    return found
