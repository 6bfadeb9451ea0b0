"""A column of a tracked frame. Its operations act row by row, or record which rows they read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pandas as pd

from ..program_place import program_place
from ..refusals import untracked
from ..row_links import Every, Later, LinkGroups, Ride
from ..step_graph import StepNode
from . import neighbor_links
from .arguments import accepted
from .key_codes import label_positions
from .operand import Operand, combined, constant

if TYPE_CHECKING:
    from .frame import Frame
    from .rolling import Rolling

Text = str  # in Column, ``str`` is the accessor
EACH_ROW = {
    "abs": "", "round": "decimals", "clip": "lower upper", "isna": "", "isnull": "", "notna": "",
    "notnull": "", "astype": "dtype errors", "between": "left right inclusive",
    "fillna": "value", "replace": "to_replace value regex", "where": "cond other",
    "mask": "cond other", "combine_first": "other", "add": "other fill_value",
    "sub": "other fill_value", "mul": "other fill_value", "div": "other fill_value",
    "truediv": "other fill_value", "floordiv": "other fill_value", "mod": "other fill_value",
    "pow": "other fill_value", "eq": "other", "ne": "other", "lt": "other", "le": "other",
    "gt": "other", "ge": "other", "convert_dtypes": "",
}  # fmt: skip
"""The operations that compute a row from the same row of all columns, with their arguments."""
REDUCING = {
    "sum": "skipna min_count", "mean": "skipna", "min": "skipna", "max": "skipna", "count": "",
    "nunique": "dropna", "std": "skipna ddof", "var": "skipna ddof", "sem": "skipna ddof",
    "median": "skipna", "any": "skipna", "all": "skipna", "prod": "skipna min_count",
    "skew": "skipna", "kurt": "skipna", "quantile": "q interpolation",
}  # fmt: skip
"""The operations that compute one value from all rows."""
TEXTS = {
    "capitalize", "casefold", "center", "contains", "count", "decode", "encode", "endswith",
    "find", "findall", "fullmatch", "get", "index", "isalnum", "isalpha", "isdecimal", "isdigit",
    "islower", "isnumeric", "isspace", "istitle", "isupper", "join", "len", "ljust", "lower",
    "lstrip", "match", "normalize", "pad", "removeprefix", "removesuffix", "repeat", "replace",
    "rfind", "rindex", "rjust", "rsplit", "rstrip", "slice", "slice_replace", "split",
    "startswith", "strip", "swapcase", "title", "translate", "upper", "wrap", "zfill",
}  # fmt: skip
TIMES = {
    "ceil", "date", "day", "day_name", "day_of_week", "day_of_year", "dayofweek", "dayofyear",
    "days", "days_in_month", "daysinmonth", "floor", "hour", "is_leap_year", "is_month_end",
    "is_month_start", "is_quarter_end", "is_quarter_start", "is_year_end", "is_year_start",
    "microsecond", "minute", "month", "month_name", "nanosecond", "normalize", "quarter", "round",
    "second", "seconds", "strftime", "time", "to_period", "total_seconds", "tz_convert",
    "tz_localize", "weekday", "year",
}  # fmt: skip


class Single(Operand):
    """A single value with lineage, such as the mean of a column."""

    _what = "a single value"

    @property
    def plain(self) -> Any:
        """The plain value, which has no lineage."""
        return self._value

    def __repr__(self) -> str:
        return f"<Single {self._value!r}>"


class Column(Operand):
    """The values of a column, with the lineage of their rows."""

    _what = "Column"

    def __len__(self) -> int:
        return self._node.size

    def __repr__(self) -> str:
        return f"<Column {self._value.name!r}: {len(self):,} rows>"

    @property
    def name(self) -> Any:
        """The name of the column."""
        return self._value.name

    @property
    def dtype(self) -> Any:
        """The type of the values."""
        return self._value.dtype

    @property
    def str(self) -> Accessor:
        """Operations on strings, row by row."""
        return Accessor(self, "str", TEXTS)

    @property
    def dt(self) -> Accessor:
        """Operations on times, row by row."""
        return Accessor(self, "dt", TIMES)

    def to_pandas(self) -> pd.Series:
        """Return a copy of the values as a plain Series, which has no lineage."""
        return self._value.copy()

    def rename(self, name: Text) -> Column:
        """Return the column with a new name."""
        return Column(self._value.rename(constant("rename", name)), self._node)

    def map(self, function: Callable[[Any], Any] | dict[Any, Any]) -> Column:
        """Apply a function or a dictionary to each value.

        The function must depend only on its argument.
        """
        if not callable(function) and not isinstance(function, dict):
            raise untracked(
                f"map by a {type(function).__name__}", "", "Use merge to look values up in a frame"
            )
        given: Any = function if isinstance(function, dict) else _each(function)
        return Column(self._value.map(given), self._node)

    def apply(self, function: Callable[..., Any], **options: Any) -> Column:
        """Apply a function to each value. Keyword arguments are passed to the function."""
        if not callable(function) or "by_row" in options:
            raise untracked("apply by another argument than a function of one value")
        return self.map(lambda value: function(value, **options))

    def isin(self, values: Any) -> Column:
        """Return whether each value occurs in a list, or in a column of any frame.

        A row derives from itself, and from all rows of the other column that have its value.
        """
        if not isinstance(values, Column):
            return self._each_row("isin", lambda each: each.isin(constant("isin", values)), self)
        mine, theirs, op = self._value, values._value, f"isin {program_place()}"
        known = theirs.drop_duplicates()
        found = StepNode(
            len(known), op, "unknown",
            [(Later(lambda: LinkGroups(label_positions([known], [theirs]), len(known))),
              values._node)],
        )  # fmt: skip
        inputs = [
            (None, self._node),
            (Later(lambda: Ride(label_positions([known], [mine]), len(known))), found),
        ]
        node = StepNode(len(self), op, "unknown", inputs, self._node.axis, combines=True)
        return Column(mine.isin(theirs), node)

    def _each_row(self, op: Text, function: Callable[..., Any], *values: Any) -> Column:
        found: Column = combined(op, function, values)
        return found

    def _windowed(self, op: Text, value: Any, link: Any) -> Column:
        op = f"{op} {program_place()}"
        inputs = [(None, self._node), (link, self._node)]
        return Column(
            value, StepNode(len(self), op, "unknown", inputs, self._node.axis, combines=True)
        )

    def shift(self, periods: int = 1, **options: Any) -> Column:
        """Return the values ``periods`` rows earlier, or later if ``periods`` is negative."""
        options = accepted("shift", options, "fill_value")
        link = Later(lambda: neighbor_links.reach(len(self), periods))
        return self._windowed("shift", self._value.shift(periods, **options), link)

    def diff(self, periods: int = 1) -> Column:
        """Return the difference to earlier rows."""
        link = Later(lambda: neighbor_links.reach(len(self), periods))
        return self._windowed("diff", self._value.diff(periods), link)

    def cumsum(self) -> Column:
        """Return the sum of all values up to each row."""
        return self._running("cumsum")

    def cumprod(self) -> Column:
        """Return the product of all values up to each row."""
        return self._running("cumprod")

    def cummax(self) -> Column:
        """Return the greatest value up to each row."""
        return self._running("cummax")

    def cummin(self) -> Column:
        """Return the least value up to each row."""
        return self._running("cummin")

    def _running(self, op: Text) -> Column:
        link = Later(lambda: neighbor_links.up_to(len(self)))
        return self._windowed(op, getattr(self._value, op)(), link)

    def rank(self, **options: Any) -> Column:
        """Return the rank of each value, which depends on all rows."""
        options = accepted("rank", options, "method na_option ascending pct")
        return self._windowed("rank", self._value.rank(**options), Every(len(self), len(self)))

    def ffill(self, **options: Any) -> Column:
        """Replace missing values by the last value before them."""
        return self._filled("ffill", options)

    def bfill(self, **options: Any) -> Column:
        """Replace missing values by the next value after them."""
        return self._filled("bfill", options)

    def _filled(self, op: Text, options: dict[Text, Any]) -> Column:
        options = accepted(op, options, "limit")
        filled = getattr(self._value, op)(**options)
        value, limit = self._value, options.get("limit")
        link = Later(lambda: neighbor_links.filled_from(value, op == "ffill", limit))
        return self._windowed(op, filled, link)

    def rolling(self, window: Any, **options: Any) -> Rolling:
        """Return windows of rows; their aggregates are columns."""
        from .rolling import Rolling

        return Rolling(self, window, options)

    def expanding(self, min_periods: int = 1) -> Rolling:
        """Return windows of all rows up to each row; their aggregates are columns."""
        from .rolling import Rolling

        return Rolling(self, None, {"min_periods": min_periods})

    def to_frame(self, name: Text | None = None) -> Frame:
        """Return a frame with this column as its only column."""
        from .frame import Frame

        value = self._value.to_frame() if name is None else self._value.to_frame(name)
        return Frame(value, self._node)

    def reset_index(self, name: Text | None = None) -> Frame:
        """Return a frame with two columns: the row labels (the index), and this column."""
        from .frame import Frame

        value = self._value.reset_index() if name is None else self._value.reset_index(name=name)
        return Frame(value, self._node)

    def value_counts(self, **options: Any) -> Column:
        """Return how often each value occurs. A count derives from all rows with the value."""
        options = accepted("value_counts", options, "normalize sort ascending dropna")
        value, found = self._value, self._value.value_counts(**options)
        op = f"value_counts {program_place()}"
        link = Later(lambda: LinkGroups(label_positions([found.index], [value]), len(found)))
        inputs: list[Any] = [(link, self._node)]
        if options.get("normalize"):
            inputs.append((Every(len(found), len(self)), self._node))
        return Column(found, StepNode(len(found), op, "aggregate", inputs, combines=True))

    def __getitem__(self, condition: Column) -> Column:
        return self._as_frame(lambda frame: frame[condition])

    def dropna(self) -> Column:
        """Return the rows whose value is not missing."""
        return self._as_frame(lambda frame: frame.dropna())

    def head(self, n: int = 5) -> Column:
        """Return the first rows."""
        return self._as_frame(lambda frame: frame.head(n))

    def tail(self, n: int = 5) -> Column:
        """Return the last rows."""
        return self._as_frame(lambda frame: frame.tail(n))

    def drop_duplicates(self) -> Column:
        """Return each value once. It derives from all rows with this value."""
        return self._as_frame(lambda frame: frame.drop_duplicates())

    def sort_values(self, **options: Any) -> Column:
        """Return the rows in the order of their values."""
        return self._as_frame(lambda frame: frame.sort_values("value", **options))

    def _as_frame(self, move: Callable[[Frame], Frame]) -> Column:
        moved: Column = move(self.to_frame("value"))["value"]
        return moved.rename(self._value.name)

    def quantile(self, q: float = 0.5, **options: Any) -> Single:
        """Return a quantile of all values."""
        options = accepted("quantile", options, "interpolation")
        if not isinstance(q, int | float):
            raise untracked("several quantiles at once", "", "Ask for them one by one")
        return self._reduced("quantile", self._value.quantile(q, **options))

    def _reduced(self, op: Text, value: Any) -> Single:
        link = Every(1, len(self))
        place = f"{op} {program_place()}"
        return Single(value, StepNode(1, place, "aggregate", [(link, self._node)], combines=True))


def _each(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Wrap a function, since pandas treats some functions, such as numpy.sum, specially."""
    return lambda value: function(value)


def _each_row_method(op: str, known: str) -> Any:
    names = known.split()

    def method(self: Column, *given: Any, **options: Any) -> Any:
        accepted(op, dict.fromkeys(options), known)
        arguments = dict(zip(names, given, strict=False)) | options
        if len(given) > len(names):
            raise untracked(f"{op} with {len(given)} arguments by position")

        def call(value: Any, *plain: Any) -> Any:
            return getattr(value, op)(**dict(zip(arguments, plain, strict=True)))

        return combined(op, call, [self, *arguments.values()])

    method.__doc__ = f"Apply pandas' ``{op}`` to each row."
    return method


def _reducing_method(op: str, known: str) -> Any:
    def method(self: Column, **options: Any) -> Single:
        options = accepted(op, options, known)
        return self._reduced(op, getattr(self._value, op)(**options))

    method.__doc__ = f"Return pandas' ``{op}`` of all rows."
    return method


for _op, _known in EACH_ROW.items():
    setattr(Column, _op, _each_row_method(_op, _known))
for _op, _known in REDUCING.items():
    if _op not in vars(Column):
        setattr(Column, _op, _reducing_method(_op, _known))


class Accessor:
    """The operations of ``column.str`` or ``column.dt`` that act row by row."""

    def __init__(self, column: Column, name: str, known: set[str]) -> None:
        self._column, self._name, self._known = column, name, known

    def __getitem__(self, key: Any) -> Column:
        found: Column = combined("str[]", lambda value: value.str[key], [self._column])
        return found

    def __getattr__(self, op: str) -> Any:
        if op not in self._known:
            if op.startswith("_"):
                raise AttributeError(op)
            raise untracked(f"Column.{self._name}.{op}")
        found = getattr(getattr(self._column._value, self._name), op)
        if not callable(found):
            return Column(found, self._column._node)

        def call(*given: Any, **options: Any) -> Column:
            if options.get("expand"):
                raise untracked(f"{self._name}.{op} with expand=True", "", "Take parts with str[0]")
            for each in (*given, *options.values()):
                if not callable(each):  # replace calls a function for each match
                    constant(op, each)
            return Column(found(*given, **options), self._column._node)

        return call
