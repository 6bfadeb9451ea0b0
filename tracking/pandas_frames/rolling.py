"""Windows of rows, rolling or expanding, and their aggregates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..program_place import program_place
from ..refusals import untracked
from ..row_links import FrameLink, Later
from ..step_graph import StepNode
from .arguments import accepted
from .neighbor_links import rolled, up_to

if TYPE_CHECKING:
    from .column import Column
    from .frame import Frame

ROLLING = "min_periods center closed on"
AGGREGATES = {
    "sum": "", "mean": "", "min": "", "max": "", "count": "", "median": "", "std": "ddof",
    "var": "ddof", "sem": "ddof", "skew": "", "kurt": "",
}  # fmt: skip


class Rolling:
    """Rolling or expanding windows over the rows of a column or frame.

    An expanding window contains all rows up to each row.
    """

    def __init__(self, rows: Column | Frame, window: Any, options: dict[str, Any]) -> None:
        self._rows, self._window = rows, window
        self._options = accepted("rolling", options, ROLLING)

    def __getattr__(self, op: str) -> Any:
        if op.startswith("_"):
            raise AttributeError(op)
        if op not in AGGREGATES:
            raise untracked(f"rolling.{op}", "", f"Use {', '.join(AGGREGATES)}, or apply")

        def call(**options: Any) -> Any:
            options = accepted(f"rolling.{op}", options, AGGREGATES[op])
            return self._found(op, getattr(self._windows(), op)(**options))

        return call

    def __getitem__(self, names: str | list[str]) -> Rolling:
        """Return the windows with only the given columns."""
        rows: Any = self._rows
        if self._options.get("on") is not None:
            raise untracked("rolling(on=...) of some columns", "", "Select the columns before")
        return Rolling(rows[names], self._window, self._options)

    def apply(self, function: Any, raw: bool = False) -> Any:
        """Apply a function to the values of each window."""
        return self._found("apply", self._windows().apply(function, raw=raw))

    def _windows(self) -> Any:
        value = self._rows._value
        if self._window is None:
            return value.expanding(**self._options)
        return value.rolling(self._window, **self._options)

    def _found(self, op: str, value: Any) -> Any:
        rows, window, options = self._rows, self._window, self._options
        plain = rows._value

        def link() -> FrameLink:
            return up_to(len(plain)) if window is None else rolled(plain, window, options)

        place = f"rolling.{op} {program_place()}"
        inputs = [(None, rows._node), (Later(link), rows._node)]
        node = StepNode(len(value), place, "unknown", inputs, rows._node.axis, combines=True)
        return type(rows)(value, node)
