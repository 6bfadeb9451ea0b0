"""Stage an input file: reject incomplete rows, and replace names by hashes. Row ids stay ids.

Names are staged separately from the rows. For each batch of rows, every distinct pair of a name and
its table is staged once. Names are distributed over buckets by the first bits of their hashes, so
that ``read_names`` can load one bucket at a time.
"""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pyarrow as pa

from provhouse.model.fault_points import reach
from provhouse.model.naming import Naming
from provhouse.model.patterns import Pattern
from provhouse.runtime.spark.tasks import part_of_task, report_progress

from ..formats.known_formats import batches
from ..formats.source import Source
from ..staging import Staging
from .read_ids import IdWriter
from .read_judge import Judge
from .read_shared import without_shared
from .read_writers import NameWriter, RowWriter


@dataclass(frozen=True)
class StagedFile:
    """The number of valid rows, and the number of rejected rows, in a file."""

    valid: int
    rejected: int
    id_tables: tuple[str, ...] = ()
    """The tables of the row ids. A table's position is the code that the task stages for it."""
    shared: int = 0
    """The number of rows of shared derivations, which ``read_groups`` will stage or reject."""
    unread: Mapping[str, int] = field(default_factory=dict)
    """The number of document parts that did not become triples, by kind of part."""


@dataclass(frozen=True)
class StageFile:
    """The task that stages a file."""

    number: int
    source: Source
    staging: Staging
    buckets: int
    """The number of buckets, a power of two."""
    seed: int
    ingest: int
    naming: Naming
    patterns: Mapping[str, Pattern] = field(default_factory=dict)
    """The declared patterns, by table."""

    def run(self) -> StagedFile:
        """Stage the file as ``rows``, ``names`` and, if rows are rejected, ``rejects``."""
        return StageFiles([self]).run()[0]

    def names(self) -> NameWriter:
        """Open the writer of names for a task whose first file is this file."""
        return NameWriter(self.staging, self.number, self.buckets, self.seed)

    def ids(self) -> IdWriter:
        """Open the writer of row ids for a task whose first file is this file."""
        return IdWriter(self.staging, self.number, self.buckets)

    def write(self, names: NameWriter, ids: IdWriter) -> StagedFile:
        """Stage the file with the writers ``names`` and ``ids``, which its task's files share."""
        valid = rejected = shared = 0
        unread = Counter[str]()
        judge = Judge(self.source, self.ingest, self.naming, self.patterns)
        with RowWriter(
            self.source.name, self.staging, self.number, self.patterns, names, ids
        ) as out:
            size = max(os.path.getsize(self.source.path), 1)
            for batch in batches(
                self.source, lambda behind: report_progress(min(behind / size, 1))
            ):
                unread.update(batch.unread)
                plain, labelled = without_shared(batch)
                good, bad = judge.plain(plain)
                ids.note(good, batch.rows)
                if labelled:
                    rows, wrong = judge.shared(labelled)
                    ids.note(rows, batch.rows)
                    out.share(rows)
                    shared += rows.num_rows
                    bad = pa.concat_tables([bad, wrong])
                if bad.num_rows:
                    out.reject(bad)
                if good.num_rows:
                    out.write(good)
                valid, rejected = valid + good.num_rows, rejected + bad.num_rows
        reach("rows staged")
        return StagedFile(valid, rejected, ids.tables, shared, dict(unread))


@dataclass(frozen=True)
class StageFiles:
    """The task that stages one or more files. Their names share one staged file for each bucket."""

    files: Sequence[StageFile]

    def run(self) -> list[StagedFile]:
        """Stage the files in order."""
        ends = np.cumsum([0, *(max(os.path.getsize(f.source.path), 1) for f in self.files)])
        parts = (ends / ends[-1]).tolist()
        staged = []
        with self.files[0].names() as names, self.files[0].ids() as ids:
            for file, (begin, end) in zip(self.files, pairwise(parts), strict=True):
                with part_of_task(begin, end):
                    staged.append(file.write(names, ids))
        return staged


def stage_groups(file: StageFile, rows: pa.Table, rejects: pa.Table) -> None:
    """Stage as one file the rows of groups, which have names as strings, and the rejected rows."""
    with (
        file.names() as names,
        file.ids() as ids,
        RowWriter(None, file.staging, file.number, file.patterns, names, ids) as out,
    ):
        if rejects.num_rows:
            out.reject(rejects)
        if rows.num_rows:
            out.write(rows)
