"""Rows of a tracked frame by their positions or by a condition: ``iloc`` and ``loc``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NoReturn

from ..refusals import untracked
from ..row_links import own_rows
from .column import Column

if TYPE_CHECKING:
    from .frame import Frame


class Positions:
    """Access to rows of a frame by position (``iloc``)."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def __getitem__(self, key: slice | Iterable[int]) -> Frame:
        if not isinstance(key, slice | list | range):
            raise untracked(f"iloc with a {type(key).__name__}", "", "Give a slice or a list")
        rids = own_rows(len(self._frame))[key]
        return self._frame._moved("iloc", self._frame._value.iloc[rids], rids)


class Located:
    """Access to the rows of a frame that meet a condition, and to chosen columns (``loc``)."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def __getitem__(self, key: Any) -> Any:
        condition, columns = key if isinstance(key, tuple) and len(key) == 2 else (key, None)
        if isinstance(condition, Column) or callable(condition):
            rows = self._frame[condition]
        elif isinstance(condition, slice) and condition == slice(None):
            rows = self._frame
        else:
            raise untracked("loc by labels", "", "Use a condition, as in frame['id'] == 3, or iloc")
        return rows if columns is None else rows[columns]

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        raise untracked(
            "loc[...] = value", "", "Use frame['x'] = frame['x'].mask(condition, value)"
        )
