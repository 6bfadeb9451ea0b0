"""Cursors: rows of a captured block, which can be followed back to their sources and forwards."""

from collections.abc import Callable, Sequence
from functools import cached_property, partial, reduce
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from provhouse.model.associations import ROW_BITS
from provhouse.model.errors import UsageError

from .compared import compare
from .cursor_ids import ID, CursorIds, Position, first, is_in, settled, together, without_rows
from .cursor_places import CursorPlace
from .flow import CapturedFlow
from .numbers import NumberedFile
from .rdd_replay import Program
from .replay import replayed, rerun
from .steps import back, back_all, forwards, forwards_all

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import DataFrame

_NUMBER = f"shiftright(id, {ROW_BITS})"
"""The SQL expression that extracts the number of a row's file from the row's id."""


class Cursor:
    """Rows that a captured block has read or written, or groups of the block's operators.

    A cursor does not read files until a program asks for a result. Up to 16 million ids are kept in
    memory; more ids stay in a lazy Spark frame, so that a step never collects data of unlimited
    size.

    >>> row = run.trace("report").where("carrier = 'AA'")
    >>> row.go_back_all().show()
    """

    def __init__(self, flow: CapturedFlow, make: Callable[[], Position]) -> None:
        self.flow, self._make = flow, make

    @cached_property
    def position(self) -> Position:
        """The ids of the rows and groups, which are determined on first use."""
        return self._make()

    def _then(self, step: Callable[[CapturedFlow, Position], Position]) -> "Cursor":
        return Cursor(self.flow, lambda: step(self.flow, self.position))

    def go_back(self) -> "Cursor":
        """Return the rows and groups from which the rows derive, one captured operator back.

        The captured operators merge rows: aggregates, windows, semi joins, scalar subqueries,
        ``mapInPandas``, and marks. Joins, filters and projections do not count as steps: one step
        leads to all rows that these operators combine. The step leaves rows of sources as they are.
        From rows of a table that the block has written, it leads to the rows from which these
        derive.
        """
        return self._then(back)

    def go_back_all(self) -> "Cursor":
        """Return all source rows from which the rows derive, through all writes of the block."""
        return self._then(back_all)

    def go_next(self) -> "Cursor":
        """Return the rows and groups that derive from the rows, one captured operator forwards."""
        return self._then(forwards)

    def go_next_all(self) -> "Cursor":
        """Return all rows in final tables that derive from the rows.

        A table is final if no other write reads it.
        """
        return self._then(forwards_all)

    @classmethod
    def at_table(cls, flow: CapturedFlow, table: str) -> "Cursor":
        """Return a cursor at all rows of a table.

        Raises UsageError if the block has neither written nor read the table.
        """
        files = flow.files_of(table)
        return cls(flow, lambda: {place: flow.rows_of(each) for place, each in files.items()})

    def where(self, condition: str) -> "Cursor":
        """Return the rows that satisfy an SQL condition on the columns of their table.

        Raises UsageError if the rows belong to several tables; ``of`` selects one table.
        """
        return Cursor(self.flow, lambda: self._where(condition))

    filter = where

    def _where(self, condition: str) -> Position:
        files, rows = self._one_table()
        if rows is None:
            return {}
        kept = rows.where(condition).selectExpr(f"{ID} AS id")
        parts = [
            (place, partial(kept.where, is_in(_NUMBER, np.array(numbers))))
            for place, numbers in self._numbers(files).items()
        ]
        return settled(parts, {}, self.flow.spark, True)

    def _numbers(self, files: "Sequence[NumberedFile]") -> dict[CursorPlace, list[int]]:
        """Return the numbers of the given files, grouped by the place of their rows."""
        found: dict[CursorPlace, list[int]] = {}
        for file in files:
            found.setdefault(self.flow.place_of_file(file), []).append(file.number)
        return found

    def of(self, table: str) -> "Cursor":
        """Return the rows that belong to the given table."""
        return Cursor(self.flow, lambda: self._of(table))

    def _of(self, table: str) -> Position:
        numbers = {file.number for file in self.flow.numbers.files if file.table == table}
        found = dict[CursorPlace, CursorIds]()
        for place, ids in self.position.items():
            if place.has_rows:
                kept = _of_files(ids, numbers)
                if not kept.are_none:
                    found[place] = kept
        return found

    def __and__(self, other: "Cursor") -> "Cursor":
        """Return the rows and groups that are in both cursors.

        Raises UsageError if the cursors belong to different blocks.
        """
        if self.flow is not other.flow:
            raise UsageError(
                "The cursors belong to different states of a block",
                "Between their traces, a write was finished or another block began",
                "Begin both with run.trace after the writes",
            )
        return Cursor(self.flow, lambda: self._both(other))

    def _both(self, other: "Cursor") -> Position:
        mine, theirs = self.position, other.position
        both = {place: ids & theirs[place] for place, ids in mine.items() if place in theirs}
        return {place: ids for place, ids in both.items() if not ids.are_none}

    def ids(self) -> "DataFrame":
        """Return the rows and groups as a Spark frame with the columns ``of``, ``file``, ``row``.

        ``of`` is the name of the table, and ``row`` is the index of the row in the file. For a
        group, ``of`` is the name of the operator, ``file`` is NULL, and ``row`` is a number that
        identifies the group.
        """
        from pyspark.sql import functions as F

        spark = self.flow.spark
        every = spark.createDataFrame([], "of string, file string, row bigint")
        files = spark.createDataFrame(
            [(each.number, each.table, str(each.place)) for each in self.flow.numbers.files],
            "number bigint, of string, file string",
        )
        for place, ids in self.position.items():
            found = ids.to_frame(spark).distinct()
            if place.has_rows:
                number = F.expr(f"{_NUMBER} = number")
                found = found.join(F.broadcast(files), number).selectExpr(
                    "of", "file", f"id & {(1 << ROW_BITS) - 1}L AS row"
                )
            else:
                found = found.select(
                    F.lit(place.name).alias("of"),
                    F.lit(None).cast("string").alias("file"),
                    F.col("id").alias("row"),
                )
            every = every.unionAll(found)
        return every

    def count(self) -> int:
        """Return the number of rows and groups."""
        return sum(ids.count() for ids in self.position.values())

    def tables(self) -> list[str]:
        """Return the names of the tables to which the rows belong."""
        return list(dict.fromkeys(file.table for file in self._files()))

    def records(self) -> "DataFrame":
        """Return the records of the rows, as a Spark frame with the columns of their table.

        Only files that contain the rows are read. For up to 1,000 rows, only the row groups with
        the rows are read, and they are read immediately. All transformations of Spark can be
        applied to the result. Raises UsageError for rows of several tables, and for groups of an
        operator, which do not have records. Raises BadInput if a file has changed since the block
        read it.
        """
        _, found = self._one_table()
        if found is None:
            raise UsageError(
                "A cursor without rows has no records",
                "No row was selected, or nothing derives from the selected rows",
                "Check count() first",
            )
        return found.drop(ID)

    @overload
    def replay(self, frame: "DataFrame", *, without: "Cursor | None" = None) -> "DataFrame": ...

    @overload
    def replay(self, frame: Program, *, without: "Cursor | None" = None) -> "RDD[Any]": ...

    def replay(
        self, frame: "DataFrame | Program", *, without: "Cursor | None" = None
    ) -> "DataFrame | RDD[Any]":
        """Compute a frame again on only those source rows from which the cursor's rows derive.

        For an RDD, pass the function that makes the RDD instead of a frame, as for ``run.replay``.
        ``without`` is a cursor; the replay leaves out the source rows from which its rows derive.
        In the replay, a table without any of the source rows is empty, so the result can contain
        rows that an anti join had removed. A replay does not write anything. If the cursor's rows
        were written by the block, they are immediately computed again for comparison, and a warning
        reports differences from the written rows. Raises the errors of ``run.replay``.

        >>> row = run.trace("report").where("carrier = 'AA'")
        >>> row.replay(report).show()
        """
        rows = kept = back_all(self.flow, self.position)
        if without is not None:
            kept = without_rows(rows, back_all(self.flow, without.position), self.flow.spark)
        found = self._again(frame, kept, only=True)
        compare(self.flow, self.position, rows, frame)
        return found

    def left_out(self, frame: "DataFrame | Program") -> "DataFrame | RDD[Any]":
        """Compute a frame or RDD again without the cursor's rows, as ``run.replay`` does."""
        return self._again(frame, self.position, only=False)

    def _again(
        self, frame: "DataFrame | Program", rows: Position, only: bool
    ) -> "DataFrame | RDD[Any]":
        if callable(frame):
            return rerun(self.flow, frame, rows, only)
        return replayed(self.flow, frame, rows, only)

    def show(self, n: int = 20) -> None:
        """Print up to ``n`` of the rows' records for each table."""
        tables = self._only_table() or self.tables()
        for table in tables:
            if len(tables) > 1:
                print(table)
            rows = self.of(table)._first(n + 1)
            if rows.count():
                rows.records().show(n, truncate=False)

    def _only_table(self) -> list[str]:
        """Return the rows' table if it can be found without a slow search, else an empty list."""
        at, files = self.position, self.flow.numbers.files
        tables = {file.table for file in files if self.flow.place_of_file(file) in at}
        return [*tables] if len(tables) == 1 and all(place.has_rows for place in at) else []

    def _first(self, n: int) -> "Cursor":
        """Return at most ``n`` rows of each place, held in memory; other rows are not read."""
        few = {place: first(ids, n) for place, ids in self.position.items()}
        return Cursor(self.flow, lambda: few)

    def _one_table(self) -> "tuple[list[NumberedFile], DataFrame | None]":
        """Return the files with the rows, and the records with ids (None if there are no rows)."""
        files = self._files()
        names = list(dict.fromkeys(file.table for file in files))
        if len(names) > 1:
            raise UsageError(
                "The cursor has rows of several tables",
                f"They are of {', '.join(names)}",
                f"Name one, as in .of({names[0]!r})",
            )
        spark, ids = self.flow.spark, [*self.position.values()]
        if not files:
            return files, None
        wanted = ids[0] if len(ids) == 1 else reduce(lambda a, b: together(a, b, spark), ids)
        return files, self.flow.records(files, None if wanted.files else wanted)

    def _files(self) -> "list[NumberedFile]":
        """Return the files that contain the rows. Raises UsageError for groups of an operator."""
        if groups := [place.name for place in self.position if not place.has_rows]:
            raise UsageError(
                "A cursor is at groups of an operator, which have no records",
                f"It is at {', '.join(groups)}",
                "Call go_back() or go_next() until it is at rows, or go_back_all()",
            )
        numbers = set[int]()
        for ids in self.position.values():
            if ids.held is not None:
                numbers |= ids.numbers()
            elif ids.files:
                numbers |= {*ids.files}
            else:
                found = ids.frame.selectExpr(f"{_NUMBER} AS n").distinct()
                numbers |= {row["n"] for row in found.collect()}
        return [self.flow.numbers.files[number] for number in sorted(numbers)]


def _of_files(ids: CursorIds, numbers: set[int]) -> CursorIds:
    """Return the ids whose rows are in the files with the given numbers."""
    wanted = np.array(sorted(numbers), np.int64)
    if ids.held is not None:
        return CursorIds(ids.held[np.isin(ids.held >> ROW_BITS, wanted)])
    return CursorIds(make=lambda: ids.frame.where(is_in(_NUMBER, wanted)))
