"""Find the smallest input with which a block's program still computes a wrong row."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from provhouse.model.arrays import I64, unique
from provhouse.model.associations import ROW_BITS
from provhouse.model.errors import UsageError

from ..replayed_frame import Replay
from .cursor import Cursor
from .cursor_ids import CursorIds, Position
from .cursor_places import SOURCES
from .fault_tests import Raises, Test
from .flow import CapturedFlow
from .minimal import Closed, Remembered, smallest
from .rdd_replay import Program, RddReplay
from .replay import is_rdd, opened
from .row_derivations import RowDerivations
from .row_groups import rows_of_files
from .steps import back_all
from .suspicion import unusual_first
from .wrong import Wrong

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST = 1 << 24
"""The largest number of rows with which a search can begin. Their ids are in memory."""
KEPT = 1 << 15
"""The largest number of rows that replays keep in memory."""


@dataclass(frozen=True)
class Smallest:
    """Source rows with which a program still fails the test; none of them can be left out."""

    rows: Cursor
    replays: int
    """The number of replays of the program."""
    lineage: int
    """The number of rows at the beginning of the search."""

    def show(self) -> None:
        """Print the records of the rows."""
        self.rows.show()


def of_row(
    flow: CapturedFlow, row: Cursor, key: Sequence[str], test: Test, program: Program | None
) -> Smallest:
    """Return the smallest input with which a row of a write is still wrong, according to ``test``.

    If the table has a ``key``, a replay counts as wrong only if its row with the same key is wrong.
    If the table is an RDD, ``program`` is the function that makes it. Raises UsageError if the
    cursor is not at one row of a table that the block has written, if the lineage of the row is too
    large, or if a replay on the whole lineage is not wrong.
    """
    position = row.position
    write, values = _write(row), row.records().first()
    behind = RowDerivations.of(flow, position)
    sources = behind.sources if behind else _behind(flow, position)
    replay = _replay_of(flow, write, key, program)
    wrong = Wrong(test, {name: values[name] for name in key} if values else {})
    search = _Search(flow, replay, wrong)
    return search.run(sources, behind.closed if behind else _all)


def _replay_of(
    flow: CapturedFlow, write: int, key: Sequence[str], program: Program | None
) -> Replay | RddReplay:
    """Return a replay of a write. Raises UsageError if ``program`` has not made the table."""
    if program is None:
        return opened(flow, write, range(len(flow.outputs)))[0]
    table = flow.outputs[write].write.table
    if not is_rdd(flow, write):
        raise UsageError(
            f"The search for {table} does not need a program",
            "It is a data frame, and the block has kept its plan",
            "Leave out program",
        )
    if {*key} - {"value"}:
        raise UsageError(
            f"A key function names the rows of {table}, and a replay cannot call it",
            "A replay compares only the lines of the table",
            "Declare no key for the table, and select the lines in the test",
        )
    return RddReplay(flow, program, [None])


def of_frame(flow: CapturedFlow, frame: "DataFrame", test: Raises) -> Smallest:
    """Return the smallest input with which ``frame`` fails with the error that ``test`` names.

    Raises UsageError if the tables of the frame have too many rows, or if the frame on all rows
    does not fail with this error.
    """
    replay, read = opened(flow, frame, range(len(flow.outputs)), adding=True)
    rows = [(file.first_id, pq.read_metadata(file.path).num_rows) for file in read]
    _check_size(sum(count for _, count in rows))
    every = [np.arange(first, first + count) for first, count in rows]
    search = _Search(flow, replay, Wrong(test))
    return search.run(np.concatenate([np.empty(0, np.int64), *every]), _all)


def _all(rows: I64) -> I64:
    return rows


class _Search:
    """A search that replays one program on parts of its sources."""

    def __init__(self, flow: CapturedFlow, replay: Replay | RddReplay, wrong: Wrong) -> None:
        self._flow, self._replay, self._wrong = flow, replay, wrong
        self._files = flow.numbers.files
        self._kept = MOST

    def run(self, sources: I64, closed: Closed) -> Smallest:
        """Return a smallest part of ``sources`` with which the program still fails the test."""
        _check_size(len(sources))
        fails = Remembered(self._fails)
        self._keep(sources)
        if not fails(sources):
            raise UsageError(
                "The result of a replay on the row's lineage is not wrong",
                f"The test is {_text(self._wrong.test)}; the replay read {len(sources):,} rows",
                "Correct the test; rows that depend on random values cannot be searched",
            )
        found = smallest(self._tables(sources), fails, closed)
        cursor = Cursor(self._flow, lambda: _position(found))
        return Smallest(cursor, fails.runs, len(sources))

    def _fails(self, rows: I64) -> bool:
        wrong = self._wrong.is_in(self._replay.on_few(rows, only=True), self._replay.compute)
        if wrong:  # all later calls are on parts of these rows
            self._keep(rows)
        return wrong

    def _keep(self, rows: I64) -> None:
        if len(rows) <= min(KEPT, self._kept // 4):
            self._replay.keep(rows)
            self._kept = len(rows)

    def _tables(self, rows: I64) -> list[I64]:
        """Return an array of rows for each table; the largest table is first.

        The most unusual rows of a table come first.
        """
        numbers = rows >> ROW_BITS
        of = defaultdict[str, list[int]](list)
        for number in unique(numbers).tolist():
            of[self._files[number].table].append(number)
        parts = [rows[np.isin(numbers, each)] for each in of.values()]
        return [self._ordered(part) for part in sorted(parts, key=len, reverse=True)]

    def _ordered(self, rows: I64) -> I64:
        """Return one table's rows, the most unusual first if they are few and stored in Parquet."""
        files = [self._files[number] for number in unique(rows >> ROW_BITS).tolist()]
        if len(rows) > KEPT or any(file.unit != "parquet" for file in files):
            return rows
        found = [table for _, table in rows_of_files(files, rows)]
        return rows[unusual_first(pa.concat_tables(found, promote_options="permissive"))]


def _write(row: Cursor) -> int:
    """Return the position of the write that has made the cursor's only row.

    Raises UsageError if the cursor is not at one row, or if no write has made the row.
    """
    (place, *others), count = [*row.position] or [SOURCES], row.count()
    if others or place.write is None or count != 1:
        raise UsageError(
            "A smallest input is found only for one row that the block has written",
            f"The cursor is at {count:,} rows of {place.name}",
            'Name one row, as in run.trace("report").where("carrier = \'AA\'")',
        )
    return place.write


def _behind(flow: CapturedFlow, position: Position) -> I64:
    """Return the ids of at most ``MOST`` + 1 of the source rows from which a position derives."""
    found = back_all(flow, position).get(SOURCES, CursorIds(np.empty(0, np.int64)))
    return found.taken(flow.spark, MOST)


def _position(rows: I64) -> Position:
    return {SOURCES: CursorIds(np.sort(rows))} if len(rows) else {}


def _check_size(count: int) -> None:
    if count > MOST:
        raise UsageError(
            "The lineage of the row is too large to search",
            f"It has more than {MOST:,} rows of sources",
            "Trace a row with a smaller lineage, or replay without parts of it",
        )


def _text(test: Test) -> str:
    return test if isinstance(test, str) else repr(test)
