"""Unchanged rows that captured commands copied next to changed rows, and rows that were deleted.

Delta writes an entire file again if one of its rows changes. A row that is only copied keeps its
version, so ``KEPT`` contains the version of each row of such a file. Equal versions of consecutive
rows are one entry, so the size of the table grows with the number of changes. ``ENDED`` contains
hashes of the names of deleted rows. Runs of dbt end rows too; their numbers are stored as negative
versions, because they are not versions of captured writes. Releases that do not know these tables
must refuse the warehouse, so its format is raised before the first of these rows is stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64

from ..names.hashing import hashes
from ..warehouse.commits import raise_format
from ..warehouse.layout import Layout
from .registry import ENDED, KEPT, append, read


@dataclass(frozen=True)
class KeptRows:
    """The versions of the rows of a file."""

    starts: I64
    """The first row of each range of rows with the same version."""
    versions: I64
    """For each range, the version of its rows; 0 for rows that no captured write has made."""

    def of(self, rows: I64) -> I64:
        """Return the versions of rows, given the rows' positions in the file."""
        found: I64 = self.versions[np.searchsorted(self.starts, rows, "right") - 1]
        return found


@dataclass(frozen=True)
class EndedRow:
    """The end of a row, caused by a captured write or by a run of dbt."""

    version: int
    """The version of the write, or the number of the run."""
    after: int
    """The generation that was current when the row ended. Later generations include this end."""


def add_kept(layout: Layout, versions: Mapping[int, I64]) -> None:
    """Store the version of each row of the given files, by file number.

    Only the single writer may call this. Raises Busy if another writer has taken the lock.
    """
    rows = []
    for file, found in versions.items():
        starts = np.flatnonzero(np.diff(found, prepend=-1))
        rows.append({"file": file, "starts": starts, "versions": found[starts]})
    raise_format(layout)
    append(layout, KEPT, pa.Table.from_pylist(rows, schema=KEPT.schema))


def read_kept(layout: Layout, files: Sequence[int]) -> dict[int, KeptRows]:
    """Return the row versions of those given files that contain copied rows, by file number."""
    rows = read(layout, KEPT, where=pc.field("file").isin(files)).to_pylist()
    return {
        row["file"]: KeptRows(np.array(row["starts"]), np.array(row["versions"])) for row in rows
    }


def add_ended(layout: Layout, version: int, names: pa.Array, after: int) -> None:
    """Store that a write has deleted rows; ``names`` are their names without versions.

    Only the single writer may call this. Raises Busy if another writer has taken the lock.
    """
    row = {"version": version, "after": after, "names": hashes(names).view(np.int64)}
    raise_format(layout)
    append(layout, ENDED, pa.Table.from_pylist([row], schema=ENDED.schema))


def add_ended_by_dbt(layout: Layout, run: int, names: pa.Array, after: int) -> None:
    """Store that a run of dbt has no longer built rows, as `add_ended` does for a write."""
    add_ended(layout, -run, names, after)


def ends_of(layout: Layout, name: str, version: int) -> list[EndedRow]:
    """Return the ends of the row with this name by writes after a given version, oldest first."""
    return _ends(layout, name, pc.field("version") > max(version, 0))


def ends_by_dbt(layout: Layout, name: str, run: int) -> list[EndedRow]:
    """Return the ends of the row with this name by runs of dbt after a given run, oldest first."""
    return _ends(layout, name, pc.field("version") < -run)


def _ends(layout: Layout, name: str, where: pc.Expression) -> list[EndedRow]:
    wanted = hashes(pa.array([name])).view(np.int64)[0]
    rows = read(layout, ENDED, where=where)
    found = {
        EndedRow(abs(rows["version"][at].as_py()), rows["after"][at].as_py())
        for at in range(len(rows))
        if wanted in np.asarray(rows["names"][at].values)
    }
    return sorted(found, key=lambda row: row.version)
