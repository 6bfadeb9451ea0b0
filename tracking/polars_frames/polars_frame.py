"""A tracked frame: a polars data frame, and the lineage of its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np
import polars as pl
import pyarrow as pa

from provhouse.model.errors import UsageError

from ..frame_lineage import AskedRows
from ..program_place import program_place
from ..refusals import untracked
from ..row_links import Every, FrameLink, Later, LinkGroups, LinkPart, Ride, Rows, own_rows
from ..step_graph import Items, Kind, StepNode, joined
from .needs import Needs, check_constants, needs_of

if TYPE_CHECKING:
    from .polars_groups import Grouped

ROW, RIGHT = "__provhouse_row", "__provhouse_right"
PLAIN = "Use to_polars() for the plain data, which has no lineage, and track() for its result"


class Frame(AskedRows):
    """A polars data frame with the lineage of its rows.

    The operations are those of polars, and return the same results as new frames. An operation or
    an expression whose lineage is unknown raises NotTracked. Rows are numbered from 0.
    """

    def __init__(self, value: pl.DataFrame, node: StepNode) -> None:
        for name in value.columns:
            if name.startswith("__provhouse"):
                raise untracked(f"a column {name!r}", "The name is reserved", "Rename the column")
        self._value = value
        self._node = node

    def __len__(self) -> int:
        return self._node.size

    def __repr__(self) -> str:
        return f"<Frame of {', '.join(self.tables) or 'no table'}: {len(self):,} rows>"

    def _repr_html_(self) -> str:
        return self._value._repr_html_()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise untracked(f"Frame.{name}", "", PLAIN)

    def __getitem__(self, key: Any) -> NoReturn:
        raise untracked("frame[...]", "", "Use select, filter or slice")

    def __iter__(self) -> NoReturn:
        raise untracked("a loop over a frame", "", PLAIN)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._value.columns

    @property
    def schema(self) -> pl.Schema:
        """The names and types of the columns."""
        return self._value.schema

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return self._value.shape

    def to_polars(self) -> pl.DataFrame:
        """Return the plain data frame, which has no lineage."""
        return self._value.clone()

    def write_csv(self, path: Any, **options: Any) -> None:
        """Write the data to a CSV file, without its lineage; ``save`` stores the lineage."""
        self._value.write_csv(path, **options)

    def write_parquet(self, path: Any, **options: Any) -> None:
        """Write the data to a Parquet file, without its lineage; ``save`` stores the lineage."""
        self._value.write_parquet(path, **options)

    def _plain(self) -> pl.DataFrame:
        return self._value

    def _column_of(self, key: str) -> pa.Array | pa.ChunkedArray:
        if key not in self.columns:
            raise untracked(f"rows by {key!r}", f"Its columns are: {', '.join(self.columns)}", "")
        column = self._value[key]
        if column.dtype in (pl.String, pl.Categorical, pl.Enum):
            return pa.array(column.cast(pl.String).to_list(), pa.string())
        return column.to_arrow()

    @staticmethod
    def _chosen(data: pl.DataFrame, rids: Rows) -> pl.DataFrame:
        return data[rids]

    def _with_node(self, node: StepNode) -> Self:
        return type(self)(self._value, node)

    def _ride(self, op: str, move: Callable[[pl.DataFrame], pl.DataFrame]) -> Frame:
        """Let polars move rows, and read the new position of each row from the result."""
        moved = move(self._numbered())
        rids = moved[ROW].to_numpy().astype(np.int64)
        link = Ride(rids, len(self))
        node = StepNode(len(moved), f"{op} {program_place()}", "all", [(link, self._node)])
        return Frame(moved.drop(ROW), node)

    def _numbered(self, name: str = ROW) -> pl.DataFrame:
        return self._value.with_columns(pl.Series(name, own_rows(len(self))))

    # Expressions

    def _reading(self, op: str, needs: Needs) -> StepNode:
        """Return a node for the same rows that also links to the rows that expressions read."""
        node, op = self._node, f"{op} {program_place()}"
        nodes = [node]
        if needs.all_rows:
            every = StepNode(1, "", "unknown", [(Every(1, len(self)), node)], combines=True)
            inputs: list[Any] = [(Every(len(self), 1), every)]
            nodes.append(StepNode(len(self), op, "unknown", inputs, node.axis, combines=True))
        for keys in sorted(needs.partitions):
            codes, number = _codes(self._numbered(), list(keys))
            group = StepNode(
                number, "", "unknown", [(LinkGroups(codes, number), node)], combines=True
            )
            inputs = [(Ride(codes, number), group)]
            nodes.append(StepNode(len(self), op, "unknown", inputs, node.axis, combines=True))
        return joined(nodes, op)

    def filter(self, *conditions: Any, **equal: Any) -> Frame:
        """Return the rows that meet all conditions."""
        node = self._reading("filter", needs_of([*conditions, *equal.values()]))
        kept = self._value.filter(*conditions, **equal)
        every = [*conditions, *(pl.col(name).eq(value) for name, value in equal.items())]
        mask = self._value.select(pl.all_horizontal(*every).alias(ROW))[ROW]
        if mask.len() != len(self):
            raise untracked("a filter by a condition without columns", "", "Leave it out")
        rids = mask.arg_true().to_numpy().astype(np.int64)
        op = f"filter {program_place()}"
        return Frame(kept, StepNode(len(kept), op, "all", [(Ride(rids, len(self)), node)]))

    def with_columns(self, *columns: Any, **named: Any) -> Frame:
        """Return the frame with columns added or replaced."""
        node = self._reading("with_columns", needs_of([*columns, *named.values()]))
        return Frame(self._value.with_columns(*columns, **named), node)

    def select(self, *columns: Any, **named: Any) -> Frame:
        """Return a frame of the given expressions: for the same rows, or one row of aggregates."""
        needs = needs_of([*columns, *named.values()])
        value = self._value.select(*columns, **named)
        if len(value) == len(self):
            return Frame(value, self._reading("select", needs))
        if len(value) != 1 or needs.partitions:
            raise untracked(f"select that returns {len(value):,} rows of {len(self):,}")
        inputs = [(Every(1, len(self)), self._node)]
        op = f"select {program_place()}"
        return Frame(value, StepNode(1, op, "aggregate", inputs, combines=True))

    def drop(self, *columns: Any) -> Frame:
        """Return the frame without the given columns."""
        return Frame(self._value.drop(*columns), self._node)

    def rename(self, mapping: dict[str, str]) -> Frame:
        """Return the frame with columns renamed."""
        return Frame(self._value.rename(mapping), self._node)

    def cast(self, dtypes: Any, *, strict: bool = True) -> Frame:
        """Return the frame with its columns converted to other types."""
        return Frame(self._value.cast(dtypes, strict=strict), self._node)

    def fill_null(self, value: Any) -> Frame:
        """Replace missing values by a constant or an expression."""
        return Frame(self._value.fill_null(value), self._reading("fill_null", needs_of([value])))

    def fill_nan(self, value: float | None) -> Frame:
        """Replace NaN by a constant."""
        needs_of([value])
        return Frame(self._value.fill_nan(value), self._node)

    def pipe(self, function: Callable[..., Any], *given: Any, **options: Any) -> Any:
        """Return ``function(frame, ...)``."""
        return function(self, *given, **options)

    # Rows

    def sort(self, by: Any, *more: Any, **options: Any) -> Frame:
        """Return the rows in the order of the given columns or expressions."""
        needs_of([by, *more])
        return self._ride("sort", lambda frame: frame.sort(by, *more, **options))

    def head(self, n: int = 5) -> Frame:
        """Return the first rows."""
        return self._ride("head", lambda frame: frame.head(n))

    limit = head

    def tail(self, n: int = 5) -> Frame:
        """Return the last rows."""
        return self._ride("tail", lambda frame: frame.tail(n))

    def slice(self, offset: int, length: int | None = None) -> Frame:
        """Return consecutive rows, from ``offset`` on."""
        return self._ride("slice", lambda frame: frame.slice(offset, length))

    def top_k(self, k: int, *, by: Any) -> Frame:
        """Return the rows with the greatest values of ``by``."""
        needs_of([by])
        return self._ride("top_k", lambda frame: frame.top_k(k, by=by))

    def drop_nulls(self, subset: Any = None) -> Frame:
        """Return the rows without missing values."""
        chosen = self.columns if subset is None else subset
        return self._ride("drop_nulls", lambda frame: frame.drop_nulls(chosen))

    def explode(self, columns: Any, **options: bool) -> Frame:
        """Return a row for each element of the lists in the given columns."""
        return self._ride("explode", lambda frame: frame.explode(columns, **options))

    def unpivot(self, on: Any = None, *, index: Any = None, **names: str) -> Frame:
        """Return a row for each value of the given columns (wide to long)."""
        kept = _listed(index)
        others = [name for name in self.columns if name not in kept]
        values = others if on is None else _listed(on)
        return self._ride(
            "unpivot", lambda frame: frame.unpivot(values, index=[*kept, ROW], **names)
        )

    def unique(
        self, subset: Any = None, *, keep: Any = "any", maintain_order: bool = False
    ) -> Frame:
        """Return one row of each set of equal rows. It derives from all of them."""
        keys = self.columns if subset is None else _listed(subset)
        numbered = self._numbered()
        found = numbered.unique(keys, keep=keep, maintain_order=maintain_order)
        kept = found[ROW].to_numpy().astype(np.int64)

        def groups() -> LinkGroups:
            codes, number = _codes(numbered, keys)
            places = np.full(number, -1)
            places[codes[kept]] = own_rows(kept.size)
            return LinkGroups(places[codes], kept.size)

        link: FrameLink = Ride(kept, len(self)) if keep == "none" else Later(groups)
        return self._grouped("unique", found.drop(ROW), link, "unknown")

    def _grouped(self, op: str, value: pl.DataFrame, link: FrameLink, kind: Kind) -> Frame:
        op = f"{op} {program_place()}"
        return Frame(value, StepNode(len(value), op, kind, [(link, self._node)], combines=True))

    # Several rows

    def group_by(self, *by: Any, maintain_order: bool = False, **named: Any) -> Grouped:
        """Return the groups of rows with equal values."""
        needs = needs_of([*by, *named.values()])
        if needs != Needs():
            raise untracked("group_by of an expression that reads other rows", "", "Add it first")
        from .polars_groups import Grouped

        return Grouped(self, by, named, maintain_order)

    def pivot(
        self, on: Any, *, index: Any, values: Any, aggregate_function: Any = None, **options: Any
    ) -> Frame:
        """Return a row for each value of ``index``. It derives from all rows with that value."""
        check_constants([aggregate_function])
        keys = _listed(index)
        value = self._value.pivot(
            on, index=keys, values=values, aggregate_function=aggregate_function, **options
        )
        numbered = self._numbered()

        def groups() -> FrameLink:
            rows = value.select(keys).with_columns(pl.Series(RIGHT, own_rows(len(value))))
            both = numbered.join(rows, on=keys, how="inner", nulls_equal=True)
            codes = np.full(len(numbered), -1)
            codes[both[ROW].to_numpy()] = both[RIGHT].to_numpy()
            return LinkGroups(codes, len(value))

        return self._grouped("pivot", value, Later(groups), "aggregate")

    def join(self, other: Frame, on: Any = None, how: Any = "inner", **options: Any) -> Frame:
        """Return the pairs of matching rows. A row derives from both rows of its pair."""
        _check_frame(other, "join")
        needs_of([on, options.get("left_on"), options.get("right_on")])
        if how == "semi":
            raise untracked(
                "a semi join",
                "",
                "Join with the distinct keys: frame.join(other.select('k').unique())",
            )
        right = other._numbered(RIGHT)
        found = self._numbered().join(right, on=on, how=how, **options)
        kind: Kind = "all" if how in ("inner", "cross") else "unknown"
        return _paired("join", found, self, other, kind)

    def join_asof(self, other: Frame, **options: Any) -> Frame:
        """Return each row joined with the nearest row of another frame. It derives from both."""
        _check_frame(other, "join_asof")
        found = self._numbered().join_asof(other._numbered(RIGHT), **options)
        return _paired("join_asof", found, self, other, "unknown")


def _paired(op: str, found: pl.DataFrame, left: Frame, right: Frame, kind: Kind) -> Frame:
    inputs: list[tuple[FrameLink, StepNode]] = []
    for name, frame in ((ROW, left), (RIGHT, right)):
        if name in found.columns:
            rids = found[name].fill_null(-1).to_numpy().astype(np.int64)
            inputs.append((Ride(rids, len(frame)), frame._node))
    value = found.drop([name for name in (ROW, RIGHT) if name in found.columns])
    return Frame(
        value, StepNode(len(value), f"{op} {program_place()}", kind, inputs, combines=True)
    )


def _codes(numbered: pl.DataFrame, keys: list[str]) -> tuple[Rows, int]:
    """Return each row's group number, and how many groups there are."""
    if not keys:
        return np.zeros(len(numbered), np.int64), 1
    rows = numbered.group_by(keys, maintain_order=True).agg(pl.col(ROW))[ROW]
    sizes, rids = flat(rows)
    codes = np.empty(len(numbered), np.int64)
    codes[rids] = np.repeat(own_rows(len(rows)), sizes)
    return codes, len(rows)


def flat(lists: pl.Series) -> tuple[Rows, Rows]:
    """Return the sizes of the given lists of row numbers, and the concatenated lists."""
    found = lists.rechunk().to_arrow()
    sizes = found.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64)
    return sizes, found.flatten().to_numpy(zero_copy_only=False).astype(np.int64)


def _listed(names: Any) -> list[str]:
    if names is None:
        return []
    found: list[Any] = [names] if isinstance(names, str | pl.Expr) else list(names)
    if not all(isinstance(each, str) for each in found):
        raise untracked("keys that are expressions", "", "Give names of columns")
    return found


def _check_frame(other: object, op: str) -> None:
    if not isinstance(other, Frame):
        raise untracked(
            f"{op} with a {type(other).__name__}", "", "Make a tracked frame of it with track()"
        )


def concat(frames: Sequence[Frame], *, how: Any = "vertical") -> Frame:
    """Return the rows of several frames, one after another."""
    if how not in ("vertical", "vertical_relaxed", "diagonal", "diagonal_relaxed"):
        raise untracked(f"concat with how={how!r}", "", "Use join to put columns side by side")
    given = list(frames)
    for each in given:
        _check_frame(each, "concat")
    value = pl.concat([each._value for each in given], how=how)
    start, inputs = 0, list[tuple[FrameLink, StepNode]]()
    for each in given:
        inputs.append((LinkPart(start, len(each)), each._node))
        start += len(each)
    return Frame(
        value, StepNode(len(value), f"concat {program_place()}", "all", inputs, combines=True)
    )


def source(value: pl.DataFrame, table: str, key: str | None) -> Frame:
    """Return the tracked frame of a source; see ``track``."""
    if not isinstance(value, pl.DataFrame):
        remedy = "Run the query first: frame.collect()" if hasattr(value, "collect") else ""
        raise UsageError(
            f"Cannot track a {type(value).__name__}", "", remedy or "Give a data frame of polars"
        )
    items = Frame(value, StepNode(len(value)))._items(table, key)
    if key is not None:
        items.names()
    known = Items(items.table, items.names, value, is_source=True)
    return Frame(value, StepNode(len(value), items=known))
