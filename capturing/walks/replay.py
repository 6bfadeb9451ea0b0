"""Recompute frames without some source rows, or on only some of them."""

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from provhouse.model.errors import BadInput, UsageError

from ..reading.description import SourceFile, table_of
from ..replayed_frame import Replay
from .cursor_ids import HELD, CursorIds, Position, together
from .file_addresses import path_of
from .flow import CapturedFlow
from .numbers import NumberedFile
from .rdd_replay import Program, RddReplay

if TYPE_CHECKING:
    from pyspark import RDD
    from pyspark.sql import DataFrame


def replayed(flow: CapturedFlow, frame: "DataFrame", rows: Position, only: bool) -> "DataFrame":
    """Return ``frame`` computed again on ``rows`` if ``only``, else on all other rows.

    The replay also recomputes the tables that the block has written, except tables that contain
    some of the rows. Raises UsageError for groups of an operator, for rows of tables that the frame
    does not read, and if the frame cannot be computed again. Raises BadInput if a file has changed.
    """
    every = rows_together(flow, rows)
    replay, read = opened(flow, frame, _writes(flow, rows))
    if rows:
        _check_reads(rows, every, read)
    return on_rows(flow, replay, every, only)


def on_rows(flow: CapturedFlow, replay: Replay, rows: CursorIds, only: bool) -> "DataFrame":
    """Return the result of a replay on ``rows`` if ``only``, else on all other rows."""
    if rows.held is not None:
        return replay.on_few(rows.held, only)
    return replay.on_many(rows.to_frame(flow.spark).select("id"), only)


def rerun(flow: CapturedFlow, program: Program, rows: Position, only: bool) -> "RDD[Any]":
    """Return the RDD of a program run again on ``rows`` if ``only``, else on all other rows.

    Raises UsageError for groups of an operator, for more than ``HELD`` rows, for rows of tables
    that the program does not read, and for files that it cannot read again. Raises BadInput if a
    file has changed.
    """
    every = rows_together(flow, rows).taken(flow.spark, HELD)
    if len(every) > HELD:
        raise UsageError(
            "The cursor has too many rows to run a program of RDDs again",
            f"It has more than {HELD:,}",
            "Name fewer rows, or write the program on data frames",
        )
    replay = RddReplay(flow, program, [place.write for place in rows])
    found = replay.rdd(every, only)
    if rows:
        _check_reads(rows, CursorIds(every), [*replay.read])
    return found


def rows_together(flow: CapturedFlow, rows: Position) -> CursorIds:
    """Return the ids of ``rows`` at all places. Raises UsageError for groups of an operator."""
    if groups := [place.name for place in rows if not place.has_rows]:
        raise UsageError(
            "A replay cannot leave out groups of an operator, which are in no table",
            f"The cursor is at {', '.join(groups)}",
            "Call go_back_all() first",
        )
    none = CursorIds(np.empty(0, np.int64))
    return reduce(lambda a, b: together(a, b, flow.spark), rows.values(), none)


def opened(
    flow: CapturedFlow, program: "DataFrame | int", again: Sequence[int], adding: bool = False
) -> tuple[Replay, list[NumberedFile]]:
    """Return a replay of a frame or a write, and the files of the block that the replay reads.

    ``again`` lists the writes of the block whose rows the replay computes again. If ``adding`` is
    true, files that no finished write has read are added to the files of the block.
    """
    if isinstance(program, int):
        program = _folder(flow, program)
    folders = [_folder(flow, write) for write in again if not is_rdd(flow, write)]
    replay = Replay(flow.spark, flow.rules, program, folders)
    known = {file.path: file for file in flow.numbers.files}
    roots = {file.root for file in flow.numbers.files}
    numbers, read = list[int](), list[NumberedFile]()
    for state in replay.files():
        path = path_of(state["path"])
        file = known.get(path)
        if file is None:
            if path_of(state["root"]) in roots:
                raise BadInput(
                    "The frame reads a file that the block did not read",
                    f"{path} is new in its folder",
                    "Replay a frame that the block wrote, on the files that it read",
                )
            if not adding:
                numbers.append(len(flow.numbers.files) + len(numbers))
                continue
            file = flow.numbers.add(_source(state))
        _check_state(file, state)
        numbers.append(file.number)
        read.append(file)
    replay.number(numbers)
    return replay, read


def is_rdd(flow: CapturedFlow, write: int) -> bool:
    """Return whether a write of the block has saved an RDD."""
    return flow.outputs[write].write.format == "rdd"


def _folder(flow: CapturedFlow, write: int) -> int:
    """Return the number of a write among all writes of its block, including failed ones.

    Raises UsageError for a write of an RDD.
    """
    if is_rdd(flow, write):
        raise UsageError(
            f"The program of {flow.outputs[write].write.table} cannot be computed again",
            "It is an RDD, and Spark keeps no plan of its functions",
            "Give the function that makes it from a context as the argument program",
        )
    return int(flow.outputs[write].write.folder.name)


def _writes(flow: CapturedFlow, rows: Position) -> list[int]:
    """Return the positions of the writes that have made none of ``rows``."""
    named = {place.write for place in rows}
    return [at for at in range(len(flow.outputs)) if at not in named]


def _source(state: dict[str, Any]) -> SourceFile:
    paths = {name: path_of(state[name]) for name in ("path", "root")}
    root = paths["root"]
    table = state["table"] or table_of(root)
    return SourceFile(**{**state, **paths, "table": table})


def _check_state(file: NumberedFile, state: dict[str, Any]) -> None:
    source = file.source
    if source and (source.bytes, source.changed) != (state["bytes"], state["changed"]):
        raise BadInput(
            f"A file of {file.table} has changed since the block read it",
            f"{file.path} has another size or time",
            "Run the job again in a new block, and replay that",
        )
    if source:
        source.check_unchanged()


def _check_reads(rows: Position, every: CursorIds, read: Sequence[NumberedFile]) -> None:
    """Raise UsageError if the program reads none of ``rows``.

    If there are too many ids to be in memory, only the places of the rows are checked.
    """
    writes, numbers = {file.write for file in read}, {file.number for file in read}
    unread = all(place.write not in writes for place in rows)
    if unread or (every.held is not None and numbers.isdisjoint(every.numbers())):
        raise UsageError(
            "The program does not read the tables of the cursor's rows",
            f"The cursor is at {', '.join(place.name for place in rows)}",
            "Call go_back_all() for the rows of sources, or replay another program",
        )
