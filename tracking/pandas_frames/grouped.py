"""Groups of a tracked frame's rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from ..program_place import program_place
from ..refusals import untracked
from ..row_links import FrameLink, Later, LinkGroups, Ride, Rows
from ..step_graph import StepNode
from . import neighbor_links
from .arguments import accepted, column_list
from .column import Column
from .frame import Frame
from .operand import check_same_rows, together
from .row_column import ROW, with_rows

GROUPING = "as_index sort dropna observed group_keys"
AGGREGATES = {
    "sum": "numeric_only min_count", "mean": "numeric_only", "min": "numeric_only min_count",
    "max": "numeric_only min_count", "count": "", "nunique": "dropna", "size": "",
    "std": "ddof numeric_only", "var": "ddof numeric_only", "sem": "ddof numeric_only",
    "median": "numeric_only", "first": "numeric_only min_count skipna",
    "last": "numeric_only min_count skipna", "prod": "numeric_only min_count", "any": "skipna",
    "all": "skipna", "quantile": "q interpolation numeric_only",
}  # fmt: skip
"""The operations that compute one row from all rows of a group, with their arguments."""
RUNNING = {
    "cumsum": "",
    "cumprod": "",
    "cummax": "",
    "cummin": "",
    "cumcount": "",
    "ffill": "limit",
}
"""The operations that compute a row from the rows of its group up to this row."""


class Grouped:
    """The groups of a frame's rows that have equal keys."""

    def __init__(self, frame: Frame, by: Any, options: dict[str, Any]) -> None:
        frame._check_flat("groupby")
        self._options = accepted("groupby", options, GROUPING)
        self._keys: list[Any] = []
        nodes = []
        for each in by if isinstance(by, list | tuple) else [by]:
            if isinstance(each, Column):
                check_same_rows("groupby", [frame, each])
                self._keys.append(each._value)
                nodes.append(each._node)
            else:
                self._keys += column_list("groupby", each)
        self._node = together("groupby", frame._node, nodes)
        self._frame = frame
        self._columns: Any = None

    def __getitem__(self, columns: Any) -> Grouped:
        """Return the groups with only the given columns.

        For a single name, operations return columns; for a list of names, they return frames.
        """
        found = Grouped.__new__(Grouped)
        found.__dict__.update(self.__dict__)
        found._columns = columns if isinstance(columns, str | int) else column_list("[]", columns)
        return found

    def __getattr__(self, op: str) -> Any:
        if op.startswith("_"):
            raise AttributeError(op)
        if op in AGGREGATES:
            return self._aggregating(op)
        if op in RUNNING:
            return self._running(op)
        if op in self._frame._value.columns:
            return self[op]
        raise untracked(f"groupby.{op}", "", "Use agg, transform, apply or filter")

    # What pandas computes

    @cached_property
    def _plain_groups(self) -> Any:
        keys = self._keys if len(self._keys) > 1 else self._keys[0]
        return self._frame._value.groupby(keys, **self._options)

    @property
    def _plain(self) -> Any:
        return self._plain_groups if self._columns is None else self._plain_groups[self._columns]

    def agg(self, *functions: Any, **named: Any) -> Any:
        """Return a row of aggregates for each group. It derives from all rows of the group."""
        return self._aggregated("agg", self._plain.agg(*functions, **named))

    aggregate = agg

    def _aggregating(self, op: str) -> Callable[..., Any]:
        def call(**options: Any) -> Any:
            options = accepted(f"groupby.{op}", options, AGGREGATES[op])
            if isinstance(options.get("q"), list):
                raise untracked("several quantiles at once", "", "Ask for them one by one")
            return self._aggregated(op, getattr(self._plain, op)(**options))

        return call

    def _aggregated(self, op: str, value: Any) -> Any:
        link = Later(lambda: self._groups_of(len(value)))
        place = f"groupby.{op} {program_place()}"
        node = StepNode(len(value), place, "aggregate", [(link, self._node)], combines=True)
        return _wrapped(value, node)

    def transform(self, function: Any, **options: Any) -> Any:
        """Return a value for each row, computed from all rows of its group."""
        options = accepted("transform", options, "")
        if function == "ngroup":
            raise untracked("transform('ngroup')", "The number of a group depends on all groups")
        return self._from_group("transform", self._plain.transform(function, **options))

    def rank(self, **options: Any) -> Any:
        """Return the rank of each row in its group."""
        options = accepted("groupby.rank", options, "method ascending na_option pct")
        return self._from_group("rank", self._plain.rank(**options))

    def bfill(self, **options: Any) -> Any:
        """Replace missing values by the next value after them in the group."""
        options = accepted("groupby.bfill", options, "limit")
        return self._in_window("bfill", self._plain.bfill(**options), False, None)

    def _from_group(self, op: str, value: Any) -> Any:
        inputs = [(None, self._frame._node), *self._member_of_group()]
        return self._aligned(op, value, inputs)

    def _member_of_group(self) -> list[tuple[FrameLink, StepNode]]:
        """Return the link from each row to its group; the node has one row per group."""
        number = int(self._codes.max(initial=-1)) + 1
        link = LinkGroups(self._codes, number)
        group = StepNode(number, "", "unknown", [(link, self._node)], combines=True)
        return [(Ride(self._codes, number), group)]

    def _aligned(self, op: str, value: Any, inputs: Any) -> Any:
        if len(value) != len(self._frame):
            raise untracked(f"groupby.{op} that returns other rows than the frame has")
        place, axis = f"groupby.{op} {program_place()}", self._frame._node.axis
        return _wrapped(value, StepNode(len(value), place, "unknown", inputs, axis, combines=True))

    def shift(self, periods: int = 1, **options: Any) -> Any:
        """Return, for each row, the value ``periods`` rows earlier in its group."""
        options = accepted("groupby.shift", options, "fill_value")
        found = self._plain.shift(periods, **options)
        return self._in_window("shift", found, periods >= 0, abs(periods))

    def diff(self, periods: int = 1) -> Any:
        """Return the differences to earlier rows of the group."""
        return self._in_window("diff", self._plain.diff(periods), periods >= 0, abs(periods))

    def _running(self, op: str) -> Callable[..., Any]:
        def call(**options: Any) -> Any:
            options = accepted(f"groupby.{op}", options, RUNNING[op])
            return self._in_window(op, getattr(self._plain, op)(**options), True, None)

        return call

    def _in_window(self, op: str, value: Any, before: bool, periods: int | None) -> Any:
        codes = self._codes
        link = Later(lambda: neighbor_links.in_groups(codes, before, periods))
        return self._aligned(op, value, [(None, self._frame._node), (link, self._node)])

    # Functions of groups, and rows of groups

    def apply(self, function: Callable[..., Any], *given: Any, **options: Any) -> Any:
        """Apply a function to each group, without the keys. Its rows derive from the entire group.

        The function returns a data frame, or one value.
        """
        kinds = set[bool]()

        def call(group: Any) -> Any:
            rid = group[ROW].iloc[0] if len(group) else -1
            found = function(group.drop(columns=ROW)[names], *given, **options)
            if isinstance(found, pd.DataFrame):
                kinds.add(True)
                found = found.copy()
                found[ROW] = rid
            elif pd.api.types.is_list_like(found):
                raise untracked(
                    f"groupby.apply of a function that returns a {type(found).__name__}",
                    "",
                    "Return a data frame or one value",
                )
            else:
                kinds.add(False)
            return found

        names: Any = self._columns if self._columns is not None else self._free_columns()
        found = self._moving().apply(call, include_groups=False)
        if isinstance(names, str) and isinstance(found, pd.Series):
            found = found.rename(names)
        if kinds == {False}:
            return self._aggregated("apply", found)
        if not kinds:  # pandas called the function for no group
            if isinstance(names, str):
                found = self._frame._value.groupby(self._keys, **self._options)[names].apply(call)
            elif ROW in found:
                found = found.drop(columns=ROW)
            return _wrapped(found, StepNode(len(found)))
        if kinds == {False, True}:
            raise untracked("groupby.apply of a function with results of several kinds")
        rids = found.pop(ROW).to_numpy(np.int64)
        codes = np.where(rids < 0, -1, self._codes[rids])
        ((_, group),) = self._member_of_group()
        inputs = [(Ride(codes, group.size), group)]
        place = f"groupby.apply {program_place()}"
        node = StepNode(len(found), place, "unknown", inputs, combines=True)
        return Frame(found, node)

    def filter(self, function: Callable[[Any], Any], dropna: bool = True) -> Frame:
        """Return the rows of the groups for which a function returns True."""
        if not dropna:
            raise untracked("groupby.filter with dropna=", "", "Leave dropna out")
        self._check_all_columns("filter")
        found = self._moving().filter(lambda group: function(group.drop(columns=ROW)))
        rids = found.pop(ROW).to_numpy(np.int64)
        ((_, group),) = self._member_of_group()
        inputs = [
            (Ride(rids, len(self._frame)), self._frame._node),
            (Ride(self._codes[rids], group.size), group),
        ]
        place = f"groupby.filter {program_place()}"
        node = StepNode(len(found), place, "unknown", inputs, combines=True)
        return Frame(found, node)

    def head(self, n: int = 5) -> Frame:
        """Return the first rows of each group."""
        return self._rows("groupby.head", lambda groups: groups.head(n))

    def tail(self, n: int = 5) -> Frame:
        """Return the last rows of each group."""
        return self._rows("groupby.tail", lambda groups: groups.tail(n))

    def _rows(self, op: str, choose: Callable[[Any], Any]) -> Frame:
        self._check_all_columns(op)
        found = choose(self._moving())
        rids = found.pop(ROW).to_numpy(np.int64)
        node = StepNode(
            len(found),
            f"{op} {program_place()}",
            "all",
            [(Ride(rids, len(self._frame)), self._node)],
        )
        return Frame(found, node)

    def _check_all_columns(self, op: str) -> None:
        if self._columns is not None:
            raise untracked(f"{op} of some columns of groups", "", "Select the columns afterwards")

    def _moving(self) -> Any:
        keys = self._keys if len(self._keys) > 1 else self._keys[0]
        return with_rows(self._frame._value).groupby(keys, **self._options)

    def _free_columns(self) -> list[Any]:
        return [name for name in self._frame.columns if not _is_in(name, self._keys)]

    # The numbers of groups

    @cached_property
    def _codes(self) -> Rows:
        """The number of each row's group, in pandas' order of groups; -1 without a group."""
        found: Rows = self._plain_groups.ngroup().fillna(-1).to_numpy(np.int64)
        return found

    def _groups_of(self, rows: int) -> LinkGroups:
        """Return the link from rows of aggregates to the rows of their groups.

        pandas adds rows for combinations of categories that do not occur. These rows have size 0;
        the other rows stand for the groups, in the order of the groups' numbers.
        """
        sizes = self._plain_groups.size()
        counts = sizes.iloc[:, -1] if isinstance(sizes, pd.DataFrame) else sizes
        there = np.flatnonzero(counts.to_numpy())
        codes = self._codes
        used, rows_of = np.unique(codes[codes >= 0], return_counts=True)
        known = counts.to_numpy()[there]
        if len(counts) != rows or not np.array_equal(rows_of, known):
            raise untracked(
                "this aggregate",
                f"pandas returned {rows:,} rows for {used.size:,} groups",
                "Group with observed=True, or aggregate with named functions",
            )
        places = np.full(int(codes.max(initial=-1)) + 2, -1)  # the last one is that of -1
        places[used] = there
        return LinkGroups(places[codes], rows)


def _wrapped(value: Any, node: StepNode) -> Any:
    return Column(value, node) if isinstance(value, pd.Series) else Frame(value, node)


def _is_in(name: Any, keys: list[Any]) -> bool:
    return any(not isinstance(key, pd.Series) and key == name for key in keys)
