"""The counts that linked views must show, in plain Python: filter, group by label, and add up."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from provhouse.interactive.charts.linked_views import BrushedView, ChartViews

Row = Mapping[str, Any]


def passing(rows: Sequence[Row], brushes: Mapping[str, set[str]], but: str | None) -> list[Row]:
    """Return the rows whose labels are in every brush, ignoring the brush of the view ``but``."""
    return [
        row
        for row in rows
        if all(row[view] in labels for view, labels in brushes.items() if view != but)
    ]


def check(
    views: ChartViews, answer: BrushedView, rows: Sequence[Row], brushes: Mapping[str, set[str]]
) -> None:
    """Compare an answer with counts over ``rows``.

    Each of the ``rows`` has a label for each view, and the measures.
    """
    assert answer.selected == len(passing(rows, brushes, None))
    for name, view in answer.views.items():
        expected = Counter(row[name] for row in passing(rows, brushes, name))
        shown = dict(zip(views.bars[name].labels, view.counts.tolist(), strict=True))
        assert {label: count for label, count in shown.items() if count} == dict(expected)
        for column, sums in view.sums.items():
            _check_sums(views, answer, name, column, sums, passing(rows, brushes, name))


def _check_sums(
    views: ChartViews, answer: BrushedView, name: str, column: str, sums: Any, rows: Sequence[Row]
) -> None:
    values: defaultdict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row[column] is not None and not math.isnan(row[column]):
            values[row[name]].append(row[column])
    averages = answer.views[name].averages[column]
    for label, total, average in zip(views.bars[name].labels, sums, averages, strict=True):
        here = values[label]
        assert math.isclose(total, math.fsum(here), rel_tol=1e-9, abs_tol=1e-9)
        if here:
            assert math.isclose(average, math.fsum(here) / len(here), rel_tol=1e-9, abs_tol=1e-9)
        else:
            assert math.isnan(average)
