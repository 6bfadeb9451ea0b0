"""Functions of several tracked frames: merge, merge_asof and concat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..program_place import program_place
from ..refusals import untracked
from ..row_links import FrameLink, LinkPart, Ride, Rows
from ..step_graph import Kind, StepNode
from .arguments import accepted
from .frame import Frame
from .row_column import with_rows

LEFT, RIGHT = "__provhouse_left", "__provhouse_right"
MERGING = "on left_on right_on left_index right_index sort suffixes indicator validate"
ASOF = (
    "on left_on right_on left_index right_index by left_by right_by suffixes tolerance "
    "allow_exact_matches direction"
)


def merge(left: Frame, right: Frame, how: str = "inner", **options: Any) -> Frame:
    """Return the pairs of rows that pandas matches. A row derives from both rows of its pair."""
    options = accepted("merge", options, MERGING)
    _check(left, right, "merge")
    found = pd.merge(
        with_rows(left._value, LEFT), with_rows(right._value, RIGHT), how=how, **options
    )
    kind: Kind = "all" if how in ("inner", "cross") else "unknown"
    return _paired("merge", found, left, right, kind)


def merge_asof(left: Frame, right: Frame, **options: Any) -> Frame:
    """Return each row joined with the nearest row of another frame. It derives from both."""
    options = accepted("merge_asof", options, ASOF)
    _check(left, right, "merge_asof")
    found = pd.merge_asof(with_rows(left._value, LEFT), with_rows(right._value, RIGHT), **options)
    return _paired("merge_asof", found, left, right, "unknown")


def _paired(op: str, found: pd.DataFrame, left: Frame, right: Frame, kind: Kind) -> Frame:
    inputs: list[tuple[FrameLink, StepNode]] = [
        (Ride(_rids(found.pop(name)), len(frame)), frame._node)
        for name, frame in ((LEFT, left), (RIGHT, right))
        if name in found
    ]
    node = StepNode(len(found), f"{op} {program_place()}", kind, inputs, combines=True)
    return Frame(found, node)


def _rids(column: pd.Series) -> Rows:
    if column.dtype == np.int64:
        found: Rows = column.to_numpy()
        return found
    return np.where(column.isna(), -1, column).astype(np.int64)


def _check(left: object, right: object, op: str) -> None:
    for each in (left, right):
        if not isinstance(each, Frame):
            raise untracked(
                f"{op} with a {type(each).__name__}", "", "Make a tracked frame of it with track()"
            )
        each._check_flat(op)


def concat(frames: Sequence[Frame], **options: Any) -> Frame:
    """Return the rows of several frames, one after another."""
    options = accepted("concat", options, "ignore_index join sort")
    given = list(frames)
    for each in given:
        _check(each, each, "concat")
    value = pd.concat([each._value for each in given], **options)
    start, inputs = 0, list[tuple[FrameLink, StepNode]]()
    for each in given:
        inputs.append((LinkPart(start, len(each)), each._node))
        start += len(each)
    return Frame(
        value, StepNode(len(value), f"concat {program_place()}", "all", inputs, combines=True)
    )
