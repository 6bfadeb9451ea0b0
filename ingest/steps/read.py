"""Step 1: read every file, set rejected rows aside, and find the distinct names."""

import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from provhouse.model.errors import BadInput
from provhouse.model.patterns import Pattern
from provhouse.runtime.storage import parquet_reader

from ..ingest_summary import SHOWN, Reject
from ..item_naming import EXAMPLES, InTwoTables
from ..job import Job
from ..staging import Staging
from .grouping import consecutive, writable_at_once
from .read_groups import stage_groups_tasks
from .read_names import NameBucket, NamedBucket
from .read_row_ids import RowIdsRead, find_row_ids
from .read_stage import StagedFile, StageFile, StageFiles

BUCKET_BYTES = 256 << 20
"""The approximate input size in bytes per bucket of names."""
SEEDS = 8
"""The number of hash seeds to try if two names share a hash."""


@dataclass(frozen=True)
class ReadResult:
    """The row counts of files, the name counts of buckets, and the first rejected rows.

    In ``files``, the input files come first and the staged files of groups after them.
    """

    files: Sequence[StagedFile]
    buckets: Sequence[NamedBucket]
    first_rejects: Sequence[Reject] = ()
    row_ids: RowIdsRead | None = None
    """The row ids, if any."""

    @property
    def rows(self) -> int:
        """The number of valid rows."""
        return sum(file.valid for file in self.files)

    @property
    def rejected(self) -> int:
        """The number of rejected rows."""
        return sum(file.rejected for file in self.files)

    @property
    def unread(self) -> dict[str, int]:
        """The number of document parts that did not become triples, by kind of part."""
        found = Counter[str]()
        for file in self.files:
            found.update(file.unread)
        return dict(sorted(found.items()))

    @property
    def items(self) -> int:
        """The number of distinct items."""
        only_ids = self.row_ids.items - self.named_ids if self.row_ids else 0
        return self.names + only_ids

    @property
    def names(self) -> int:
        """The number of distinct names."""
        return sum(bucket.items for bucket in self.buckets)

    @property
    def named_ids(self) -> int:
        """The number of row ids that also occur as names."""
        return sum(bucket.named_ids for bucket in self.buckets)

    @property
    def two_tables(self) -> int:
        """The number of items that have several tables, including their stored table."""
        two = sum(bucket.two_tables for bucket in self.buckets)
        return two + (self.row_ids.two_tables if self.row_ids else 0)

    @property
    def in_two_tables(self) -> list[InTwoTables]:
        """Examples of names that have two tables, each with its two tables."""
        found = [example for bucket in self.buckets for example in bucket.examples]
        return [*found, *(self.row_ids.examples if self.row_ids else ())][:EXAMPLES]

    def patterns(self, known: Mapping[str, Pattern]) -> dict[str, Pattern]:
        """Return the known patterns and the patterns of the tables with row ids, by table."""
        tables = self.row_ids.tables if self.row_ids else ()
        return {**known, **{table.name: table.pattern for table in tables}}


def read(job: Job) -> ReadResult:
    """Read every file; if two names share a hash, read again with another seed."""
    for seed in range(SEEDS):
        files, row_ids, buckets = _staged(job, seed)
        if not any(bucket.collided for bucket in buckets):
            break
        job.staging.clear()
    else:
        raise BadInput(
            "Different names have the same 64-bit hash",
            f"They collide with each of {SEEDS} seeds, which cannot be chance",
            "Ingest the files one by one to find those names",
        )
    result = ReadResult(
        files, buckets, first_rejects(job.staging), row_ids and row_ids.compared(job.room)
    )
    if job.inputs.strict and result.rejected:
        first = result.first_rejects[0]
        raise BadInput(
            f"{result.rejected:,} rows are not triples",
            f"The first is {first.file}, row {first.row:,}: {first.reason}",
            "Correct the files, or leave out --strict to set those rows aside as rejects",
        )
    return result


def _staged(job: Job, seed: int) -> tuple[list[StagedFile], RowIdsRead | None, list[NamedBucket]]:
    sources = job.inputs.sources
    buckets = bucket_count(job.inputs.bytes_unpacked)
    files = [
        StageFile(
            number, source, job.staging, buckets, seed, job.ids.ingest, job.naming, job.patterns
        )
        for number, source in enumerate(sources)
    ]
    sizes = [os.path.getsize(source.path) for source in sources]
    groups = consecutive(sizes)
    tasks = [StageFiles([files[number] for number in group]) for group in groups]
    done = job.run(tasks, [sum(sizes[number] for number in group) for group in groups], "bytes")
    staged = [file for group in done for file in group]
    if any(file.shared for file in staged):
        grouping = stage_groups_tasks(files, job.snapshot())
        staged += job.run(grouping, [task.size for task in grouping])
    rejected = sum(file.rejected for file in staged)
    job.progress.count("rows", sum(file.valid for file in staged) + rejected)
    job.progress.count("rejected", rejected)
    job.progress.begin("Find the distinct names")  # this part takes long enough to be shown
    last = {group.start: each[-1] for group, each in zip(groups, done, strict=True)}
    row_ids = find_row_ids(job, last, buckets)
    return staged, row_ids, _named(job, buckets, seed, row_ids)


def bucket_count(size: int) -> int:
    """Return the number of buckets, a power of two, for an input of the given size in bytes.

    The number is smaller if a task may not open this many files. In that case, tasks need more
    memory.
    """
    wanted = 1 << math.ceil(math.log2(max(size / BUCKET_BYTES, 1)))
    return 1 << (writable_at_once(wanted).bit_length() - 1)


def _named(job: Job, buckets: int, seed: int, row_ids: RowIdsRead | None) -> list[NamedBucket]:
    """Find the distinct names, and the stored names among them."""
    given = (row_ids.tables, row_ids.starts) if row_ids else ()
    tasks = [NameBucket(bucket, job.staging, seed, job.names, *given) for bucket in range(buckets)]
    return job.run(tasks, [task.bytes for task in tasks])


def first_rejects(staging: Staging, most: int = SHOWN) -> list[Reject]:
    """Return the first rejected rows, in order of files and rows."""
    found: list[Reject] = []
    for path in staging.rejects.all():
        with parquet_reader(path) as file:
            batch = next(file.iter_batches(most, columns=["file", "row", "reason"]))
        found += [Reject(**row) for row in batch.slice(0, most - len(found)).to_pylist()]
        if len(found) == most:
            break
    return found
