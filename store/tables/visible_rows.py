"""The rows of a base that are visible in one generation."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64, Bools, PartitionNumber, PartitionNumbers
from provhouse.model.columns import INGEST
from provhouse.runtime.room import MEMORY, Room
from provhouse.runtime.storage import FileMark, file_mark

from ..names.names import Names, Span
from ..warehouse.commits import Commit
from ..warehouse.layout import Layout
from ..warehouse.shown_writes import shown_writes
from .delta_tables import count_rows, read_pieces, read_rows, table_files
from .partitions import partition_path
from .sampled_writes import SampledWrite, read_samples

T = TypeVar("T")


class VisibleRows:
    """The visible rows of the tables of a generation, its names, and its partitions.

    Recently used names stay decompressed, up to ``kept`` bytes. Large arrays are allocated in
    ``room``.
    """

    def __init__(self, layout: Layout, commit: Commit, kept: int = 0, room: Room = MEMORY) -> None:
        self.layout = layout
        self.commit = commit
        self.room = room
        self._kept = kept
        self._read: dict[Callable[..., Any], tuple[list[FileMark], Any]] = {}

    def folder(self, table: str) -> Path:
        """Return the folder of a table."""
        return self.layout.table(self.commit.base, table)

    def partition_path(self, partition: PartitionNumber) -> Path:
        """Return the path of a partition of triples."""
        return partition_path(self.folder("triples"), partition)

    def rows(self, table: str, columns: list[str] | None = None) -> pa.Table:
        """Return the visible rows of a small table."""
        wanted = None if columns is None else list(dict.fromkeys([*columns, INGEST]))
        rows = read_rows(self.folder(table), table, self.commit.tables.get(table), wanted)
        shown = self.shows(np.asarray(rows[INGEST]))
        return rows if shown.all() else rows.filter(pa.array(shown))

    def once(self, read: Callable[[Self], T], *tables: str) -> T:
        """Return the result of ``read``, which reads only the given small tables.

        The result is kept until an erasure replaces a file of these tables. Do not change it.
        """
        marks = [
            file_mark(path)
            for table in tables
            for path in table_files(self.folder(table), table, self.commit.tables.get(table))
        ]
        known = self._read.get(read)
        if known is None or known[0] != marks:
            known = self._read[read] = marks, read(self)
        return cast(T, known[1])

    def rows_of(self, ingest: int, table: str) -> pa.Table:
        """Return the rows that one visible ingest appended to a small table.

        No other rows are read.
        """
        version = self.commit.tables.get(table)
        return read_rows(self.folder(table), table, version, ingest=ingest)

    def pieces(
        self, table: str, columns: Sequence[str], ingest: int | None = None
    ) -> Iterator[pa.Table]:
        """Yield the rows that ``rows`` or ``rows_of`` returns, in pieces.

        Only one piece at a time is in memory.
        """
        wanted = list(dict.fromkeys([*columns, INGEST]))
        version = self.commit.tables.get(table)
        for rows in read_pieces(self.folder(table), table, version, wanted, ingest):
            shown = self.shows(np.asarray(rows[INGEST]))
            yield rows if shown.all() else rows.filter(pa.array(shown))

    def count_rows_of(self, ingest: int, table: str) -> int:
        """Return the number of rows that one visible ingest appended to a small table."""
        return count_rows(self.folder(table), table, self.commit.tables.get(table), ingest)

    def shows(self, ingests: I64) -> Bools:
        """Return, for each of the given ingests, whether it is visible."""
        shown: Bools = np.zeros(len(ingests), bool)
        for first, last in self.commit.visible:
            shown |= (ingests >= first) & (ingests <= last)
        return shown

    @cached_property
    def ingests(self) -> pa.Table:
        """The visible rows of the table ``ingests``, in order."""
        return self.rows("ingests").sort_by(INGEST)

    @cached_property
    def names(self) -> Names:
        """The names of all visible items."""
        return Names(self.layout.names(self.commit.base), self.spans, self._kept)

    @property
    def spans(self) -> list[Span]:
        """For each visible ingest, the range of items that it added."""
        columns = (self.ingests[c].to_pylist() for c in (INGEST, "first_item", "items"))
        return [Span(*values) for values in zip(*columns, strict=True)]

    def partitions_by_ingest(self) -> list[Sequence[PartitionNumber]]:
        """Return, for each visible ingest, the range of partitions that it wrote."""
        firsts, counts = (self.ingests[c].to_pylist() for c in ("first_partition", "partitions"))
        ranges = [range(first, first + n) for first, n in zip(firsts, counts, strict=True)]
        return cast(list[Sequence[PartitionNumber]], ranges)

    @cached_property
    def partitions(self) -> PartitionNumbers:
        """All visible partitions, in order."""
        each = [p for partitions in self.partitions_by_ingest() for p in partitions]
        return PartitionNumbers(np.array(each, np.int64))

    @cached_property
    def samples(self) -> list[SampledWrite]:
        """The visible writes whose lineage covers only a sample of rows, in order of version."""
        return shown_writes(self.layout, self.commit, read_samples(self.layout))

    @cached_property
    def tables(self) -> list[str]:
        """The names of the tables that items belong to, in alphabetical order."""
        return sorted(t for t in pc.unique(self.rows("tables")["table"]).to_pylist() if t)
