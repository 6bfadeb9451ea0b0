"""The content of a page: charts of the records, and a table of the first selected records."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from provhouse.interactive.charts.bars import Axis
from provhouse.interactive.charts.binning import Binning, can_be_shown, parsed
from provhouse.interactive.charts.brush_sql import where
from provhouse.interactive.charts.linked_views import ChartView, ChartViews

from .selected_rows import Form, Order, ordered, written

Ranges = Sequence[tuple[int, int]]
"""The brushed bars of a view as ranges: each has its first bar, and the bar after its last one."""
SHOWN = 50
"""The largest number of selected records that the table shows."""
LONGEST = 200
"""The page cuts strings that have more characters than this."""


class Records(Protocol):
    """Records that a page can show."""

    @property
    def title(self) -> str:
        """The title of the records, which the page shows."""

    @property
    def name(self) -> str:
        """The name of the records' table."""

    @property
    def source(self) -> str:
        """The source of the records as SQL for DuckDB's FROM clause."""

    @property
    def table(self) -> pa.Table:
        """All records, with all columns."""

    @property
    def columns(self) -> list[str]:
        """The columns to show."""

    @property
    def changed(self) -> bool:
        """Whether the records have changed since they were read."""


@dataclass
class Page:
    """Records and their views."""

    records: Records
    views: ChartViews
    _order: list[str] = field(default_factory=list, kw_only=True)
    """The names of the views in the page's order; empty until the user changes the views."""

    def show(self, wanted: Sequence[tuple[str, str]]) -> None:
        """Replace the views; ``wanted`` has each view's name and its binning as a string.

        A name is a column, or a grid that the page had at the start. Raises UsageError or BadInput
        if a view cannot be made; the old views then stay.
        """
        grids = {",".join(pair): pair for pair in self.views.grids}
        by = {name: parsed(how) for name, how in wanted if name not in grids}
        shown = [grids[name] for name, _ in wanted if name in grids]
        self.views = self.views.again(self._rows(), by, shown)
        self._order = list(dict.fromkeys(name for name, _ in wanted))

    def warm(self) -> None:
        """Load the compiled loops in advance, by answering with one brush, with two, and so on."""
        brushes: dict[str, Ranges] = {}
        for name in self.views.bars:
            brushes[name] = [(0, min(1, self.views.bars[name].number))]
            self.answer(brushes, name, None)
            self.first(brushes)

    def describe(self) -> dict[str, Any]:
        """Return the page's constant data: what does not change while the page is open."""
        axes = {
            name: [_axis(axis) for axis in self.views.bars[name].axes]
            for name in self._order or self.views.bars
        }
        return {
            "title": self.records.title,
            "table": self.records.name,
            "rows": self.views.rows,
            "views": [
                {"name": name, "axes": of, "how": _how(self.views.by.get(name))}
                for name, of in axes.items()
            ],
            "more": [one for one in self.records.columns if one not in axes and self._shows(one)],
            "measures": [one.column for one in self.views.measures],
            "sizes": self.views.sizes,
            "columns": self.records.columns,
        }

    def answer(
        self, brushes: Mapping[str, Ranges], active: str | None, measure: tuple[str, str] | None
    ) -> dict[str, Any]:
        """Return all bars under the given brushes, with counts, or a measure's sums or averages."""
        found = self.views.update({view: _bars(of) for view, of in brushes.items()}, active)
        return {
            "selected": found.selected,
            "milliseconds": round(found.seconds * 1000, 3),
            "views": {
                name: {"structure": view.structure, "values": _values(view, measure)}
                for name, view in found.views.items()
            },
            "changed": self.records.changed,
        }

    def first(self, brushes: Mapping[str, Ranges], order: Order | None = None) -> list[list[Any]]:
        """Return the values of the first ``SHOWN`` selected records, column by column."""
        found = self._rows().take(pa.array(self.selected(brushes, order, SHOWN)))
        return [[_shown(value) for value in column.to_pylist()] for column in found.columns]

    def download(
        self, brushes: Mapping[str, Ranges], order: Order | None, form: Form
    ) -> Iterator[bytes]:
        """Yield a file with all selected records; raise UsageError if Parquet cannot store them."""
        return written(self._rows(), self.selected(brushes, order, self.views.rows), form)

    def sql(self, brushes: Mapping[str, Ranges]) -> str:
        """Return a DuckDB query that selects the brushed records from their source."""
        chosen = {view: (self.views.bars[view], _bars(of)) for view, of in brushes.items()}
        return (
            f"select * from {self.records.source}\nwhere {where(self.records.table.schema, chosen)}"
        )

    def _rows(self) -> pa.Table:
        return self.records.table.select(self.records.columns)

    def _shows(self, column: str) -> bool:
        return can_be_shown(self.records.table.schema.field(column).type)

    def selected(
        self, brushes: Mapping[str, Ranges], order: Order | None, limit: int
    ) -> NDArray[np.int64]:
        """Return the positions of the first ``limit`` selected records."""
        chosen = {view: _bars(of) for view, of in brushes.items()}
        if order is None:
            return self.views.selected(limit, chosen)
        rows = self.views.selected(self.views.rows, chosen)
        return ordered(self._rows(), rows, order)[:limit]

    def described(self, brushes: Mapping[str, Ranges]) -> str:
        """Return the brushed bars in words."""
        texts = [
            f"{view}: {self.views.bars[view].described(_bars(of))}" for view, of in brushes.items()
        ]
        return "; ".join(texts) or "all records"


def _how(binning: Binning) -> str:
    """Return a binning as a string that ``parsed`` can read."""
    if binning is None or isinstance(binning, int | str):
        return str(binning or "")
    return ",".join(f"{border:.17g}" for border in binning)


def _axis(axis: Axis) -> dict[str, Any]:
    return {
        "column": axis.column,
        "kind": axis.kind,
        "labels": axis.labels,
        "edges": axis.edges,
        "missing": axis.missing,
        "others": axis.others,
        "below": axis.below,
        "above": axis.above,
        "log": axis.log,
    }


def _bars(ranges: Ranges) -> list[int]:
    return [bar for first, end in ranges for bar in range(first, end)]


def _values(view: ChartView, measure: tuple[str, str] | None) -> list[float | None]:
    if measure is None:
        counts: list[float | None] = view.counts.tolist()
        return counts
    column, how = measure
    found = (view.sums if how == "sum" else view.averages)[column]
    return [None if math.isnan(value) else value for value in found.tolist()]


def _shown(value: Any) -> Any:
    """Return a value as the page shows it: JSON has no dates, decimals, NaN or long integers."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) < 1 << 53:
        return value
    if isinstance(value, float) and np.isfinite(value):
        return value
    return str(value)[:LONGEST]
