"""A tracked frame: a pandas data frame, and the lineage of its rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np
import pandas as pd
import pyarrow as pa

from ..frame_lineage import AskedRows
from ..program_place import program_place
from ..refusals import untracked
from ..row_links import Later, LinkGroups, Ride, Rows, own_rows
from ..step_graph import StepNode
from . import neighbor_links
from .arguments import accepted, column_list
from .column import Column, Single
from .located import Located, Positions
from .operand import check_same_rows, constant, together
from .query_text import checked_query
from .row_column import ROW, check_columns, with_rows
from .untracked_operations import UNTRACKED

if TYPE_CHECKING:
    from .grouped import Grouped
    from .rolling import Rolling


class Frame(AskedRows):
    """A pandas data frame with the lineage of its rows.

    The operations are those of pandas, and return the same results as new frames. An operation
    whose lineage is unknown raises NotTracked. Rows are numbered from 0.
    """

    def __init__(self, value: pd.DataFrame, node: StepNode) -> None:
        check_columns(value)
        self._value = value
        self._node = node

    def __len__(self) -> int:
        return self._node.size

    def __repr__(self) -> str:
        return f"<Frame of {', '.join(self.tables) or 'no table'}: {len(self):,} rows>"

    def _repr_html_(self) -> str:
        found: str = self._value._repr_html_()
        return found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._value.columns:
            return self[name]
        raise untracked(f"Frame.{name}", *UNTRACKED.get(name, ()))

    def __iter__(self) -> NoReturn:
        raise untracked("a loop over a frame")

    def __bool__(self) -> NoReturn:
        raise untracked("the truth of a frame", "", "Ask for len(frame)")

    @property
    def columns(self) -> list[Any]:
        """The names of the columns."""
        return list(self._value.columns)

    @property
    def dtypes(self) -> pd.Series:
        """The types of the columns."""
        return self._value.dtypes

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return len(self), len(self.columns)

    def to_pandas(self) -> pd.DataFrame:
        """Return a copy of the plain data frame, which has no lineage."""
        return self._value.copy()

    def to_csv(self, path: Any, **options: Any) -> None:
        """Write the data to a CSV file, without its lineage; use ``save`` to store the lineage."""
        self._value.to_csv(path, **options)

    def to_parquet(self, path: Any, **options: Any) -> None:
        """Write the data to a Parquet file, without its lineage; ``save`` stores the lineage."""
        self._value.to_parquet(path, **options)

    def _plain(self) -> pd.DataFrame:
        return self._value

    def _column_of(self, key: str) -> pa.Array | pa.ChunkedArray:
        if key not in self._value.columns:
            known = f"Its columns are: {', '.join(map(str, self.columns))}"
            raise untracked(f"rows by {key!r}", known, "Name a column; reset_index makes one")
        return pa.Array.from_pandas(self._value[key])

    @staticmethod
    def _chosen(data: pd.DataFrame, rids: Rows) -> pd.DataFrame:
        return data.iloc[rids]

    def _with_node(self, node: StepNode) -> Self:
        return type(self)(self._value, node)

    def _same_rows(self, value: pd.DataFrame) -> Frame:
        return Frame(value, self._node)

    def _check_flat(self, op: str) -> None:
        if isinstance(self._value.index, pd.MultiIndex):
            raise untracked(
                f"{op} on a frame with a MultiIndex",
                f"Its levels are {', '.join(map(str, self._value.index.names))}",
                "Call reset_index() first, or group with as_index=False",
            )

    def _ride(self, op: str, move: Callable[[pd.DataFrame], pd.DataFrame]) -> Frame:
        """Let pandas move rows, and read the new position of each row from the result."""
        moved = move(with_rows(self._value))
        rids = moved.pop(ROW).to_numpy(np.int64)
        return self._moved(op, moved, rids)

    def _moved(self, op: str, value: pd.DataFrame, rids: Rows) -> Frame:
        self._check_flat(op)
        link = Ride(rids, len(self))
        return Frame(
            value, StepNode(len(value), f"{op} {program_place()}", "all", [(link, self._node)])
        )

    # Columns and conditions

    def __getitem__(self, key: Any) -> Any:
        if callable(key):
            key = key(self)
        if isinstance(key, Column):
            return self._filtered(key)
        if isinstance(key, list):
            return self._same_rows(self._value[column_list("a selection", key)])
        if isinstance(key, slice):
            rids = own_rows(len(self))[key]
            return self._moved("slice", self._value.iloc[rids], rids)
        return Column(self._value[constant("a selection", key)], self._node)

    def _filtered(self, condition: Column) -> Frame:
        self._check_flat("a filter")
        check_same_rows("a filter", [self, condition])
        kept = self._value[condition._value]
        chosen = condition._value.fillna(False).to_numpy(bool)
        node = together("filter", self._node, [condition._node])
        op = f"filter {program_place()}"
        link = Ride(np.flatnonzero(chosen), len(self))
        return Frame(kept, StepNode(len(kept), op, "all", [(link, node)]))

    def __setitem__(self, name: str, value: Any) -> None:
        """Set a column of this frame. Frames that were derived from it earlier do not change."""
        found = self.assign(**{name: value})
        self._value, self._node = found._value, found._node

    def assign(self, **columns: Any) -> Frame:
        """Return the frame with new or replaced columns.

        A column may be given as a column of the same rows, a single value, a constant, or a
        function that receives the tracked frame.
        """
        frame = self
        for name, given in columns.items():
            value = given(frame) if callable(given) else given
            plain = (
                value._value if isinstance(value, Column | Single) else constant("assign", value)
            )
            nodes = [value._node] if isinstance(value, Column | Single) else []
            if isinstance(value, Column):
                check_same_rows("assign", [frame, value])
                plain = plain.array  # the labels of the rows are equal, but need not be unique
            elif isinstance(plain, list | tuple | set | dict):
                raise untracked("assign of a list", "", "Make a tracked frame of it with track()")
            node = together("assign", frame._node, nodes)
            frame = Frame(frame._value.assign(**{name: plain}), node)
        return frame

    def query(self, text: str) -> Frame:
        """Return the rows that meet a condition; ``@name`` is a variable of the caller.

        Raises NotTracked for a condition that depends on other rows too, for example through a
        mean.
        """
        names = checked_query(text)
        for name, value in names.items():
            if isinstance(value, Column | Single):
                raise untracked(f"query with the tracked value @{name}", "", "Use frame[condition]")
            constant("query", value)
        return self._ride("query", lambda frame: frame.query(text, local_dict=names))

    def apply(self, function: Callable[..., Any], axis: Any = 0, **options: Any) -> Any:
        """Apply a function to each row (``axis=1``). It must depend only on its argument."""
        if axis not in (1, "columns"):
            raise untracked("apply by columns", "", "Use axis=1, or aggregates of single columns")
        options = accepted("apply", options, "result_type args")
        found = self._value.apply(function, axis=1, **options)
        return Column(found, self._node) if isinstance(found, pd.Series) else self._same_rows(found)

    def pipe(self, function: Callable[..., Any], *given: Any, **options: Any) -> Any:
        """Return ``function(frame, ...)``."""
        return function(self, *given, **options)

    def drop(self, *, columns: Any) -> Frame:
        """Return the frame without the given columns."""
        return self._same_rows(self._value.drop(columns=constant("drop", columns)))

    def rename(self, *, columns: Any) -> Frame:
        """Return the frame with columns renamed."""
        names = columns if callable(columns) else constant("rename", columns)
        return self._same_rows(self._value.rename(columns=names))

    def set_index(self, keys: str) -> Frame:
        """Return the frame with a column as its index (the row labels)."""
        if isinstance(keys, list):
            raise untracked(
                "set_index of several columns", "They would be a MultiIndex", "Name one"
            )
        return self._same_rows(self._value.set_index(constant("set_index", keys)))

    def reset_index(self, **options: Any) -> Frame:
        """Return the frame with its index (the row labels) turned into columns."""
        return self._same_rows(
            self._value.reset_index(**accepted("reset_index", options, "drop names"))
        )

    def astype(self, dtype: Any) -> Frame:
        """Return the frame with its columns converted to other types."""
        return self._same_rows(self._value.astype(constant("astype", dtype)))

    def fillna(self, value: Any) -> Frame:
        """Replace missing values by constants, or by a single value with lineage."""
        found: Any = value if isinstance(value, dict) else dict.fromkeys(self.columns, value)
        named = {name: each for name, each in found.items() if name in self.columns}
        singles = {name: each for name, each in named.items() if isinstance(each, Single | Column)}
        if not singles:
            return self._same_rows(self._value.fillna(constant("fillna", value)))
        return self.assign(**{name: self[name].fillna(each) for name, each in named.items()})

    def replace(self, to_replace: Any, value: Any, **options: Any) -> Frame:
        """Replace given values by other values."""
        options = accepted("replace", options, "regex")
        given = constant("replace", to_replace), constant("replace", value)
        return self._same_rows(self._value.replace(*given, **options))

    def round(self, decimals: Any = 0) -> Frame:
        """Round numbers."""
        return self._same_rows(self._value.round(constant("round", decimals)))

    def ffill(self, **options: Any) -> Frame:
        """Replace missing values by the last value before them."""
        return self._filled("ffill", options)

    def bfill(self, **options: Any) -> Frame:
        """Replace missing values by the next value after them."""
        return self._filled("bfill", options)

    def _filled(self, op: str, options: dict[str, Any]) -> Frame:
        names = [name for name in self.columns if self._value[name].isna().any()]
        columns = [getattr(self[name], op)(**options) for name in names]
        node = together(op, self._node, [each._node for each in columns])
        return Frame(getattr(self._value, op)(**options), node)

    def shift(self, periods: int = 1) -> Frame:
        """Return the values ``periods`` rows earlier, or later if ``periods`` is negative."""
        link = Later(lambda: neighbor_links.reach(len(self), periods))
        op = f"shift {program_place()}"
        inputs = [(None, self._node), (link, self._node)]
        node = StepNode(len(self), op, "unknown", inputs, self._node.axis, combines=True)
        return Frame(self._value.shift(periods), node)

    # Rows

    def head(self, n: int = 5) -> Frame:
        """Return the first rows."""
        rids = own_rows(len(self))[:n]
        return self._moved("head", self._value.head(n), rids)

    def tail(self, n: int = 5) -> Frame:
        """Return the last rows."""
        rids = own_rows(len(self))[-n if n else len(self) :]
        return self._moved("tail", self._value.tail(n), rids)

    @property
    def iloc(self) -> Positions:
        """Rows by their positions: ``frame.iloc[2:5]`` or ``frame.iloc[[0, 3]]``."""
        return Positions(self)

    @property
    def loc(self) -> Located:
        """Rows that meet a condition: ``frame.loc[condition, ["a", "b"]]``."""
        return Located(self)

    def sample(self, **options: Any) -> Frame:
        """Return a sample of the rows."""
        options = accepted("sample", options, "n frac replace random_state ignore_index")
        return self._ride("sample", lambda frame: frame.sample(**options))

    def sort_values(self, by: Any, *, key: Any = None, **options: Any) -> Frame:
        """Return the rows in the order of their values."""
        options = accepted("sort_values", options, "ascending kind na_position ignore_index")
        names = column_list("sort_values", by)
        return self._ride("sort_values", lambda frame: frame.sort_values(names, key=key, **options))

    def sort_index(self, **options: Any) -> Frame:
        """Return the rows in the order of their index labels."""
        options = accepted("sort_index", options, "ascending kind na_position ignore_index")
        return self._ride("sort_index", lambda frame: frame.sort_index(**options))

    def nlargest(self, n: int, columns: Any) -> Frame:
        """Return the rows with the greatest values in the given columns."""
        return self._ride("nlargest", lambda frame: frame.nlargest(n, columns))

    def nsmallest(self, n: int, columns: Any) -> Frame:
        """Return the rows with the least values in the given columns."""
        return self._ride("nsmallest", lambda frame: frame.nsmallest(n, columns))

    def dropna(self, **options: Any) -> Frame:
        """Return the rows without missing values."""
        options = accepted("dropna", options, "how subset thresh ignore_index")
        options.setdefault("subset", self.columns)
        return self._ride("dropna", lambda frame: frame.dropna(**options))

    def drop_duplicates(self, subset: Any = None, **options: Any) -> Frame:
        """Return one row of each set of equal rows. It derives from all of them."""
        self._check_flat("drop_duplicates")
        options = accepted("drop_duplicates", options, "keep ignore_index")
        names = self.columns if subset is None else column_list("drop_duplicates", subset)
        keep, frame = options.get("keep", "first"), self._value
        found = frame.drop_duplicates(names, **options)
        kept = np.flatnonzero(~frame.duplicated(names, keep=keep).to_numpy())
        if keep is False:
            return self._moved("drop_duplicates", found, kept)
        link = Later(lambda: _duplicates(frame, names, kept))
        op = f"drop_duplicates {program_place()}"
        return Frame(
            found, StepNode(len(found), op, "unknown", [(link, self._node)], combines=True)
        )

    def explode(self, column: Any, ignore_index: bool = False) -> Frame:
        """Return a row for each element of the lists in the given columns."""
        names = column_list("explode", column)
        return self._ride("explode", lambda frame: frame.explode(names, ignore_index=ignore_index))

    def melt(self, id_vars: Any = None, value_vars: Any = None, **options: Any) -> Frame:
        """Return a row for each value of the given columns (wide to long)."""
        options = accepted("melt", options, "var_name value_name ignore_index")
        kept = [] if id_vars is None else column_list("melt", id_vars)
        values = None if value_vars is None else column_list("melt", value_vars)
        return self._ride("melt", lambda frame: frame.melt([*kept, ROW], values, **options))

    # Several rows

    def merge(self, right: Frame, how: str = "inner", **options: Any) -> Frame:
        """Return the pairs of matching rows, as ``pandas.merge`` does."""
        from .joined_frames import merge

        return merge(self, right, how=how, **options)

    def groupby(self, by: Any = None, **options: Any) -> Grouped:
        """Return the groups of rows with equal values."""
        from .grouped import Grouped

        return Grouped(self, by, options)

    def pivot(self, *, columns: Any, index: Any, values: Any) -> Frame:
        """Return a row for each value of ``index``. It derives from all rows with that value."""
        from .pivoting import pivot

        return pivot(self, columns, index, values)

    def pivot_table(self, **options: Any) -> Frame:
        """Return a row of aggregates for each value of ``index``."""
        from .pivoting import pivot_table

        return pivot_table(self, options)

    def rolling(self, window: Any, **options: Any) -> Rolling:
        """Return windows of rows; their aggregates are frames."""
        from .rolling import Rolling

        return Rolling(self, window, options)

    def isna(self) -> Frame:
        """Return whether each value is missing."""
        return self._same_rows(self._value.isna())


def _duplicates(frame: pd.DataFrame, names: list[Any], kept: Rows) -> LinkGroups:
    grouped = frame.groupby(names, dropna=False, sort=False, observed=True)
    codes = grouped.ngroup().to_numpy(np.int64)
    places = np.empty(kept.size, np.int64)
    places[codes[kept]] = own_rows(kept.size)
    return LinkGroups(places[codes], kept.size)
