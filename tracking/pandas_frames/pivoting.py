"""Pivots of tracked frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..program_place import program_place
from ..refusals import untracked
from ..row_links import Later, LinkGroups
from ..step_graph import StepNode
from .arguments import accepted, column_list
from .frame import Frame
from .key_codes import label_positions

TABLE = "values index columns aggfunc fill_value dropna observed sort"


def pivot(frame: Frame, columns: Any, index: Any, values: Any) -> Frame:
    """Return a row for each value of ``index``; see ``Frame.pivot``."""
    frame._check_flat("pivot")
    keys, across = column_list("pivot", index), column_list("pivot", columns)
    if not isinstance(values, str | int) or len(across) != 1:
        raise untracked(
            "pivot with several columns of values",
            "Its columns would have a MultiIndex",
            "Name one column for columns= and one for values=",
        )
    value = frame._value.pivot(columns=across[0], index=index, values=values)
    return _grouped("pivot", frame, value, keys, [])


def pivot_table(frame: Frame, options: dict[str, Any]) -> Frame:
    """Return a row of aggregates for each value of ``index``; see ``Frame.pivot_table``."""
    frame._check_flat("pivot_table")
    function = options.pop("aggfunc", "mean")
    options = accepted("pivot_table", options, TABLE)
    keys = column_list("pivot_table", options.get("index"))
    across = column_list("pivot_table", options["columns"]) if "columns" in options else []
    value = frame._value.pivot_table(aggfunc=function, **options)
    needed = across if options.get("dropna", True) else []
    return _grouped("pivot_table", frame, value, keys, needed)


def _grouped(
    op: str, frame: Frame, value: pd.DataFrame, keys: list[Any], needed: list[Any]
) -> Frame:
    """Return the frame of a pivot. Rows without a value in ``needed`` columns are left out."""
    plain = frame._value

    def groups() -> LinkGroups:
        labels = [value.index.get_level_values(at) for at in range(len(keys))]
        codes = label_positions(labels, [plain[key] for key in keys])
        there = plain[needed].notna().all(axis=1).to_numpy() if needed else True
        return LinkGroups(np.where(there, codes, -1), len(value))

    link = Later(groups)
    place = f"{op} {program_place()}"
    return Frame(
        value, StepNode(len(value), place, "aggregate", [(link, frame._node)], combines=True)
    )
