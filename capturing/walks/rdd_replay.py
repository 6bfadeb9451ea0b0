"""Run RDD programs again without some source rows, or on only some of them."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from provhouse.model.arrays import I64
from provhouse.model.associations import ROW_BITS
from provhouse.model.errors import BadInput, UsageError

from ..rdds.file_splits import Split
from ..rdds.replay_context import ReplayContext, ReplayRDD, line_of
from .flow import CapturedFlow
from .numbers import NumberedFile

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import DataFrame

Program = Callable[[Any], Any]
"""A function that makes an RDD; its argument is the Spark context of a block or of a replay."""


class RddReplay:
    """An RDD program that runs again on a different selection of its source rows."""

    def __init__(self, flow: CapturedFlow, program: Program, named: Sequence[int | None]) -> None:
        """``named`` lists the writes that have made the selected rows; None stands for sources."""
        self._flow, self._program, self._named = flow, program, named
        self._files = {str(file.path): file for file in flow.numbers.files}
        self.read = set[NumberedFile]()
        """The files that the program has read so far."""

    def rdd(self, ids: I64, only: bool) -> "RDD[Any]":
        """Return the RDD of the program on the rows ``ids`` if ``only``, else on all other rows.

        ``ids`` is sorted. Files that no write of the block has read or made are skipped if ``only``
        is true, and otherwise read completely. Raises UsageError if the program splits a file that
        contains some of the rows differently than the block did, and BadInput if a file has
        changed.
        """
        places = partial(self._places, ids)
        found = self._program(ReplayContext(self._flow.spark.sparkContext, places, only))
        if not isinstance(found, ReplayRDD):
            raise UsageError(
                "The program of a replay must return an RDD",
                f"It returned {type(found).__name__}",
                "Return the RDD that the block saves, before any action",
            )
        return found.rdd

    def on_few(self, ids: I64, only: bool) -> "DataFrame":
        """Return the records of ``rdd`` as lines of text, in the column ``value``."""
        lines = self.rdd(ids, only).map(line_of)
        return self._flow.spark.createDataFrame(lines, "value string")

    def compute(self, frame: "DataFrame") -> None:
        """Compute all rows of a frame, and discard them."""
        frame.write.format("noop").mode("overwrite").save()

    def keep(self, ids: I64) -> None:
        """Do nothing: a replay skips partitions without chosen rows anyway."""

    def _places(self, ids: I64, splits: Sequence[Split]) -> Mapping[int, I64]:
        """Return, for each split that contains rows with ``ids``, their positions in the split."""
        parts = defaultdict[str, list[tuple[int, int]]](list)
        for at, (path, start) in enumerate(splits):
            parts[path].append((at, start))
        found = dict[int, I64]()
        for path, each in parts.items():
            if file := self._file(path):
                first, end = np.searchsorted(ids, (file.first_id, file.first_id + (1 << ROW_BITS)))
                if first < end:
                    found |= _positions(file, ids[first:end] - file.first_id, each)
        return found

    def _file(self, path: str) -> NumberedFile | None:
        """Return the block's file at a path, or None for a file unknown to the block.

        Raises BadInput if the file has changed, or has been added to one of the block's folders.
        Raises UsageError if a write of the block that is not in ``named`` has made the file.
        """
        file = self._files.get(path)
        if file is None:
            if any(Path(path).is_relative_to(each.root) for each in self._files.values()):
                raise BadInput(
                    "The program reads a file that the block did not read",
                    f"{path} is new in its folder",
                    "Replay a program that the block ran, on the files that it read",
                )
            return None
        if file.write is not None and file.write not in self._named:
            raise UsageError(
                f"The program reads {file.table}, which the block itself has written",
                "A replay cannot compute it again, because another program's RDD wrote it",
                f"Leave out rows of {file.table}, or make both RDDs in one function",
            )
        for part in file.parts:
            part.check_unchanged()
        self.read.add(file)
        return file


def _positions(file: NumberedFile, rows: I64, parts: Sequence[tuple[int, int]]) -> dict[int, I64]:
    """For each partition that contains any of ``rows``, return the positions of these rows in it.

    ``rows`` belong to one file. ``parts`` has the number and the first byte of each partition of
    the file.
    """
    if file.unit not in ("lines", "records") or (file.write is None and not file.parts):
        raise UsageError(
            f"Rows of {file.table} cannot be left out of an RDD",
            "They are named by a key, or were read by data frames",
            "Read the table as an RDD in the block, without a key",
        )
    starts, known = sorted({start for _, start in parts}), file.first_rows
    if unknown := [start for start in starts if start not in known]:
        raise UsageError(
            f"The program and the block read {file.path} in different parts",
            f"The positions of its rows from byte {unknown[0]} on are unknown",
            "Read the file as in the block: as an RDD, with the same number of partitions",
        )
    firsts = [known[start] for start in starts]
    cuts = pairwise(np.searchsorted(rows, [*firsts, 1 << ROW_BITS]))
    found = {
        start: rows[begin:end] - first
        for start, first, (begin, end) in zip(starts, firsts, cuts, strict=True)
    }
    return {at: found[start] for at, start in parts if len(found[start])}
