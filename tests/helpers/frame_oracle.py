"""Check the lineage of tracked frames by running their programs again on other rows.

A program is a function whose arguments are a library (pandas, or ``provhouse.pandas``) and, by
name, frames.
"""

import math
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from polars.testing import assert_frame_equal

from provhouse import pandas as tracked_pandas
from provhouse import polars as tracked_polars

Program = Callable[..., Any]
Data = Mapping[str, Any]
"""Plain frames of pandas or of polars, by table."""


def is_polars(data: Data) -> bool:
    """Return whether the frames are polars frames."""
    return isinstance(next(iter(data.values())), pl.DataFrame)


def run(program: Program, data: Data) -> Any:
    """Run a program on tracked frames and return its tracked result."""
    tracked: Any = tracked_polars if is_polars(data) else tracked_pandas
    frames = {name: tracked.track(rows, table=name) for name, rows in data.items()}
    return program(tracked, **frames)


def rows(result: Any) -> list[dict[Any, Any]]:
    """Return the rows of a tracked frame with comparable values, without their labels."""
    frame = result.to_polars() if hasattr(result, "to_polars") else result.to_pandas()
    columns = {name: [comparable(each) for each in frame[name].to_list()] for name in frame.columns}
    return [{name: values[at] for name, values in columns.items()} for at in range(len(frame))]


def comparable(value: Any) -> Any:
    """Return a value in a form that does not depend on the types of other rows."""
    if isinstance(value, list | tuple | np.ndarray):
        return tuple(comparable(each) for each in value)
    if value is None or value is pd.NaT or value is pd.NA:
        return None
    if isinstance(value, bool | np.bool_):
        return float(value)
    if isinstance(value, int | float | np.number | Decimal):
        number = float(value)
        return None if math.isnan(number) else float(f"{number:.9g}")
    if isinstance(value, date | timedelta | pd.Timestamp | pd.Timedelta):
        return str(value)
    return str(value)


def same(row: Mapping[Any, Any], other: Mapping[Any, Any]) -> bool:
    """Return whether two rows are equal; a column missing in one must be empty in the other."""
    return all(_equal(row.get(name), other.get(name)) for name in row.keys() | other.keys())


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-7, abs_tol=1e-9)
    return bool(one == other)


def check(
    program: Program,
    data: Data,
    *,
    minimal: bool = False,
    most: int = 8,
    plain: bool = True,
) -> Any:
    """Check the lineage of a program's rows, and return its tracked result.

    A row must reappear if only its records remain. If ``minimal``, the row must not reappear when
    any one of its records is left out. The result must equal that of plain pandas, and ``forward``
    must be the inverse of ``backward``.
    """
    result = run(program, data)
    if plain:
        check_plain(program, data, result)
    found = rows(result)
    for at in range(0, len(found), max(1, len(found) // most)):
        records = result.backward([at])
        rids = {name: records[name].rids if name in records else [] for name in data}
        again = rows(run(program, cut(data, rids)))
        assert any(same(found[at], each) for each in again), (at, found[at], again, rids)
        if minimal:
            _check_minimal(program, data, found[at], rids)
    check_inverse(result, data)
    return result


def check_plain(program: Program, data: Data, result: Any) -> None:
    """Check that a tracked result equals that of the plain library."""
    if is_polars(data):
        assert_frame_equal(result.to_polars(), program(pl, **data), check_row_order=False)
    else:
        expected = program(pd, **{name: each.copy() for name, each in data.items()})
        pd.testing.assert_frame_equal(result.to_pandas(), expected)


def _check_minimal(program: Program, data: Data, row: Any, rids: Mapping[str, Any]) -> None:
    for name in data:
        for rid in rids[name]:
            fewer = {**rids, name: [each for each in rids[name] if each != rid]}
            again = rows(run(program, cut(data, fewer)))
            assert not any(same(row, each) for each in again), (row, name, rid)


def check_inverse(result: Any, data: Data) -> None:
    """Check that a record leads forward to exactly the rows that lead back to the record."""
    back = [result.backward([at]) for at in range(len(result))]
    for name in result.tables:
        if name not in data:
            continue
        for rid in range(len(data[name])):
            expected = [
                at for at, each in enumerate(back) if name in each and rid in each[name].rids
            ]
            assert result.forward(name, [rid]).tolist() == expected, (name, rid)


def cut(data: Data, rids: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given rows of each frame."""
    if is_polars(data):
        return {name: each[list(rids[name])] for name, each in data.items()}
    return {name: each.iloc[list(rids[name])] for name, each in data.items()}
