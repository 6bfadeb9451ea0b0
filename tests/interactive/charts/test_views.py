"""Linked views agree with plain Python for every structure and after any questions."""

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from helpers.crossfilter_oracle import check
from provhouse.interactive.charts import coded_rows as rows
from provhouse.interactive.charts import pair_cubes, sparse_cube
from provhouse.interactive.charts.linked_views import ChartViews
from provhouse.interactive.charts.structures import STRUCTURES, Structure
from provhouse.model.errors import UsageError

WAYS: list[tuple[Structure, ...]] = [
    STRUCTURES,
    ("pair cubes",),
    ("sparse cube",),
    ("rid index",),
    ("active-view cube",),
    ("rid index", "active-view cube"),
    (),
]
MEASURES = ("whole", "part")


def random_rows(draw: random.Random, number: int, bars: list[int]) -> list[dict[str, Any]]:
    """Return rows with a string or None for each view, and two measures with NULLs and NaN."""
    return [
        {f"v{at}": _text(draw, most) for at, most in enumerate(bars)}
        | {
            "whole": draw.choice([None, draw.randrange(-9, 99)]),
            "part": draw.choice(
                [None, float("nan"), draw.uniform(-1, 1) * 10 ** draw.randrange(6)]
            ),
        }
        for _ in range(number)
    ]


def _text(draw: random.Random, most: int) -> str | None:
    return None if draw.random() < 0.1 else str(int(most * draw.random() ** 2))


def views_of(
    found: list[dict[str, Any]], bars: list[int], ways: tuple[Structure, ...] = STRUCTURES
) -> ChartViews:
    """Return views of the rows, with one bar for each string."""
    types = dict.fromkeys((f"v{at}" for at in range(len(bars))), pa.string())
    schema = pa.schema(types | {"whole": pa.int32(), "part": pa.float64()})
    table = pa.Table.from_pylist(found, schema)
    return ChartViews(table, {f"v{at}": 100 for at in range(len(bars))}, MEASURES, structures=ways)


def labelled(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows with None replaced by the label of missing values."""
    return [
        {
            name: "(missing)" if value is None and name not in MEASURES else value
            for name, value in row.items()
        }
        for row in found
    ]


SHAPES = [(300, [8, 3, 20]), (300, [1, 5]), (40, [2, 9, 4, 3]), (800, [2, 2, 3]), (30, [6])]


@pytest.mark.parametrize(  # all structures on one table, and then all tables with all structures
    ("ways", "number", "bars"),
    [
        pytest.param(
            ways,
            *shape,
            marks=[pytest.mark.long] * (ways != STRUCTURES and shape != SHAPES[0]),
            id=f"{' and '.join(ways) or 'scan'}, {shape}",
        )
        for ways in WAYS
        for shape in SHAPES
    ],
)
def test_each_sequence_of_brushes_shows_what_plain_python_counts(
    ways: tuple[Structure, ...], number: int, bars: list[int]
) -> None:
    draw = random.Random(number + len(bars))
    found = random_rows(draw, number, bars)
    views = views_of(found, bars, ways)
    brushes: dict[str, set[str]] = {}
    for _ in range(12):
        name = draw.choice(list(views.bars))
        labels = views.bars[name].labels
        if draw.random() < 0.2:
            brushes.pop(name, None)
            answer = views.brush(name, None)
        else:
            chosen = draw.sample(range(len(labels)), draw.randrange(len(labels) + 1))
            brushes[name] = {labels[bar] for bar in chosen}
            answer = views.brush(name, chosen)
        check(views, answer, labelled(found), brushes)
        assert {view.structure for view in answer.views.values()} <= {"totals", "scan", *ways}


def test_an_empty_table_has_views_without_bars() -> None:
    views = views_of([], [2, 3])
    assert [one.number for one in views.bars.values()] == [0, 0]
    answer = views.brush("v0", [])
    assert answer.selected == 0
    assert answer.views["v1"].counts.size == 0


@pytest.mark.long
@pytest.mark.parametrize("ways", WAYS, ids=lambda ways: " and ".join(ways) or "scan")
def test_large_tables_are_read_in_parts_by_several_threads(
    ways: tuple[Structure, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each structure gives numpy's counts on 200,001 rows while brushes in several views move."""
    random_numbers = np.random.default_rng(3)
    columns = {
        name: (bars * random_numbers.random(200_001) ** 3).astype(np.int16)
        for name, bars in (("a", 300), ("b", 7), ("c", 40), ("d", 25))
    }
    views = ChartViews(pa.table(columns), dict.fromkeys(columns, None), structures=ways)
    labels = {name: np.array(views.bars[name].codes) for name in columns}
    for first in range(0, 6, 2):
        brushes = {"b": range(first, 7), "c": [0, 3, 4, 9], "d": range(10, 10 + first)}
        answer = views.update(brushes, "b")
        for name, view in answer.views.items():
            keep = np.ones(200_001, bool)
            for other, bars in brushes.items():
                keep &= np.isin(labels[other], list(bars)) | (other == name)
            expected = np.bincount(labels[name][keep], minlength=view.counts.size)
            assert np.array_equal(view.counts, expected)


def test_combinations_that_repeat_are_stored_once() -> None:
    one = {"a": [1, 1, 2, 2], "b": ["x", "y", "x", None], "value": [1, None, 3, 4]}
    table = pa.concat_tables([pa.table(one)] * 50)
    views = ChartViews(table, ["a", "b"], ["value"], structures=("sparse cube",))
    assert views._sparse
    assert views._sparse.entries == 4
    answer = views.brush("a", [1])
    assert dict(zip(views.bars["b"].labels, answer.views["b"].counts, strict=True)) == {
        "x": 50, "y": 0, "(missing)": 50,
    }  # fmt: skip
    assert answer.views["b"].averages["value"].tolist()[0] == 3.0


def test_sums_are_the_same_in_any_order() -> None:
    """Adding and subtracting 0.1 many times leaves exactly 0."""
    table = pa.table({"a": [0, 1] * 500, "b": [0, 1, 2, 3] * 250, "x": [0.1, 1e9] * 500})
    views = ChartViews(table, ["a", "b"], ["x"], structures=("sparse cube",))
    before = views.update({}).views["a"].sums["x"]
    for bar in (0, 1, 2, 3) * 20:
        views.brush("b", [bar])
    after = views.brush("b", range(4)).views["a"].sums["x"]
    assert np.array_equal(before, after)


def test_the_first_selected_rows_are_found() -> None:
    table = pa.table({"a": [1, 2, 3, 1, 2, 3], "b": ["x"] * 6})
    views = ChartViews(table, ["a", "b"])
    views.brush("a", [0, 2])
    assert views.selected(3).tolist() == [0, 2, 3]
    views.brush("a", [])
    assert views.selected(3).tolist() == []


@pytest.mark.long
def test_what_does_not_fit_in_the_budget_is_not_built() -> None:
    found = random_rows(random.Random(1), 50_000, [20, 20])
    assert views_of(found, [20, 20]).plan.sides
    types = {"v0": pa.string(), "v1": pa.string()}
    table = pa.concat_tables([pa.Table.from_pylist(found, pa.schema(types))] * 60)
    small = ChartViews(table, ["v0", "v1"], budget_mb=7)
    assert small.plan.sides is None
    assert small.plan.size <= 7 << 20
    with pytest.raises(UsageError, match="The rows do not fit"):
        ChartViews(table, ["v0", "v1"], budget_mb=1)


def test_limits_are_those_that_the_planner_uses() -> None:
    assert sparse_cube.split([10_000, 10_000, 10_000], 10**9) is None
    assert sparse_cube.split([301, 7762, 8, 29], 10**7) == ((0, 3), (1, 2))
    assert sparse_cube.split([301, 7762, 80, 29], 10**5) is None
    assert sparse_cube.split([5], 9) is None
    assert pair_cubes.MAX_CELLS >= 301 * 7762
    assert rows.MAX_VIEWS == 16


@pytest.mark.parametrize(
    ("view", "bars", "problem"),
    [("b", [0], "no view 'b'"), ("a", [2], "no bar 2"), ("a", [-1], "no bar -1")],
)
def test_an_unknown_view_or_bar_is_refused(view: str, bars: list[int], problem: str) -> None:
    views = ChartViews(pa.table({"a": [1, 2]}), ["a"])
    with pytest.raises(UsageError, match=problem):
        views.brush(view, bars)


def test_no_views_and_too_many_views_are_refused() -> None:
    table = pa.table({f"c{at}": [1] for at in range(17)})
    none: list[str] = []
    for by in (none, table.column_names):
        with pytest.raises(UsageError, match="views"):
            ChartViews(table, by)
