"""Find rows that were moved to other files since a captured write, as OPTIMIZE does.

In a Delta table with row tracking, each row has an id, and Delta records the version of the table
in which the row last changed. In files with moved rows, both the id and this version are stored in
columns. So if a captured write was the last to change a row, the row belongs to that write,
whichever file contains the row now. Iceberg does the same from format 3 on, with the sequence
numbers of commits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model.arrays import I64, unique
from provhouse.model.associations import ROW_BITS
from provhouse.model.errors import UsageError
from provhouse.store.tables.written import RowTracking, Written

from .description import SourceFile
from .output import Output

_COMMIT = "_row-commit-version-col-"
"""The prefix of the Delta column that holds, for each row, the version in which it last changed.

The rest of the column's name differs between tables.
"""
_ICEBERG = ("_row_id", "_last_updated_sequence_number")
"""The columns of Iceberg, which have the same names in all tables."""


def tracking_of(output: Output) -> RowTracking | None:
    """Return what is needed to find a write's rows again, or None if rows are not tracked."""
    write = output.write
    if (
        not output.files
        or not write.tracked
        or not all(path in write.first_rows for path in output.files)
    ):
        return None
    commits, first = zip(*(write.first_rows[path] for path in output.files), strict=True)
    return RowTracking(write.tracked, commits, first)


@dataclass(frozen=True)
class MovedFile:
    """A file with rows that captured writes first wrote to other files."""

    source: SourceFile
    writes: Sequence[Written]
    """The captured writes of the file's table, at least one."""
    row_ids: str
    commits: str

    @property
    def table(self) -> str:
        """The table in the names of the file's rows."""
        return self.writes[-1].table

    @property
    def key(self) -> tuple[str, ...]:
        """The columns that name the file's rows, by their names in the file."""
        return self.writes[-1].columns_in_files

    @cached_property
    def rows(self) -> tuple[I64, I64]:
        """The write of each row, as a position in ``writes``, and the row's id in the warehouse.

        Both are -1 for a row that was last changed by anything other than these writes. The id is
        also -1 for a row that a write has changed and that keeps the id of an earlier one.
        """
        row_ids, commits = self._numbers()
        of, rows = np.full(len(row_ids), -1), np.full(len(row_ids), -1)
        for commit in unique(commits).tolist():
            write, file, first = self._files(commit)
            if not len(first):
                continue
            at = np.flatnonzero(commits == commit)
            of[at] = write[0]  # a commit belongs to one write
            place = np.searchsorted(first, row_ids[at], "right") - 1
            at, place = at[place >= 0], place[place >= 0]  # a changed row keeps an earlier id
            rows[at] = (file[place] << ROW_BITS) + row_ids[at] - first[place]
        return of, rows

    def _numbers(self) -> tuple[I64, I64]:
        """Return each row's id, and the version of the table in which the row last changed."""
        found = pq.read_table(self.source.path, columns=[self.row_ids, self.commits])
        first, commit = self.source.first_row, self.source.commit
        usual = pa.array(np.arange(found.num_rows) + (first or 0))
        ids = pc.coalesce(found[self.row_ids].combine_chunks(), usual)
        return np.asarray(ids), np.asarray(pc.fill_null(found[self.commits], commit))

    def _files(self, commit: int) -> tuple[I64, I64, I64]:
        """Return each file of a commit, sorted by first row: its write, number and first row."""
        found = [
            (first, number, at)
            for at, write in enumerate(self.writes)
            if write.tracking
            for number, of, first in zip(
                write.files, write.tracking.commits, write.tracking.first_rows, strict=True
            )
            if of == commit
        ]
        rows = np.array(sorted(found), np.int64).reshape(-1, 3)
        return rows[:, 2], rows[:, 1], rows[:, 0]


def moved_file(source: SourceFile, writes: Sequence[Written]) -> MovedFile | None:
    """Return a ``MovedFile`` if a source file may contain moved rows of the writes, or else None.

    The file itself must not have been made by one of the writes. Raises UsageError if the writes
    name their rows in different ways.
    """
    tracked = {each.tracking.column for each in writes if each.tracking}
    if source.first_row is None or not tracked:
        return None
    names = pq.read_schema(source.path).names
    if source.row_ids:
        column, row_ids, commits = source.row_ids, *_ICEBERG
    else:
        column = row_ids = next((name for name in names if name in tracked), "")
        commits = next((name for name in names if name.startswith(_COMMIT)), "")
    if row_ids not in names or commits not in names:
        return None
    own = [each for each in writes if each.tracking and each.tracking.column == column]
    if not own:
        return None
    if len({(each.table, each.columns_in_files) for each in own}) > 1:
        raise UsageError(
            f"Rows of {source.root} that were moved are named in several ways",
            "Captured jobs wrote them under several names or with several keys",
            "Write the table once as a whole, with one key",
        )
    return MovedFile(source, own, row_ids, commits)
