"""Step 1: every file is read, its rejects set aside, and its names made distinct."""

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
"""About how many bytes of input share one bucket of names."""
SEEDS = 8
"""How often another seed is tried when two names share a hash."""


@dataclass(frozen=True)
class ReadResult:
    """What was read, file by file and bucket by bucket."""

    files: Sequence[StagedFile]
    buckets: Sequence[NamedBucket]
    first_rejects: Sequence[Reject] = ()

    @property
    def rows(self) -> int:
        """Valid rows that were read."""
        return sum(file.valid for file in self.files)

    @property
    def rejected(self) -> int:
        """Rows that are no triples."""
        return sum(file.rejected for file in self.files)

    @property
    def items(self) -> int:
        """Distinct names."""
        return sum(bucket.items for bucket in self.buckets)

    @property
    def two_tables(self) -> int:
        """Items that were named with a table that they do not keep."""
        return sum(bucket.two_tables for bucket in self.buckets)


def read(job: Job) -> ReadResult:
    """Read every file; on a shared hash of two names, again with another seed."""
    for seed in range(SEEDS):
        files, buckets = _staged(job, seed)
        if not any(bucket.collided for bucket in buckets):
            break
        job.staging.clear()
    else:
        raise BadInput(
            "The names of an ingest should be told apart by 64-bit hashes",
            f"Some shared one under each of {SEEDS} seeds, which does not happen by chance",
            "Take the files in one by one to find those names",
        )
    result = ReadResult(files, buckets, first_rejects(job.staging))
    if job.inputs.strict and result.rejected:
        raise BadInput(
            "With --strict every row should be a triple",
            f"{result.rejected:,} rows lack src or dst",
            "Mend the files, or leave out --strict to see the rows among the rejects",
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
    job.progress.begin("Find the distinct names")  # its tasks last otherwise
    return files, _named(job, buckets, seed)


def _buckets(size: int) -> int:
    return 1 << math.ceil(math.log2(max(size / BUCKET_BYTES, 1)))


def _named(job: Job, buckets: int, seed: int) -> list[NamedBucket]:
    """Find the distinct names and those that are held."""
    snapshot = job.snapshot()
    spans: list[Span] = snapshot.spans if snapshot else []
    names = job.layout.names(job.base)
    tasks = [NameBucket(bucket, job.staging, seed, names, spans) for bucket in range(buckets)]
    return job.run(tasks, [task.bytes for task in tasks])


def first_rejects(staging: Staging, most: int = 5) -> list[Reject]:
    """The first rejects of a staging folder, in the order of files and rows."""
    found: list[Reject] = []
    for path in staging.rejects.all():
        with pq.ParquetFile(path) as file:
            batch = next(file.iter_batches(most, columns=["file", "row", "reason"]))
        found += [Reject(**row) for row in batch.slice(0, most - len(found)).to_pylist()]
        if len(found) == most:
            break
    return found
