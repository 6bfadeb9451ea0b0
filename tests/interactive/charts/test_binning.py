"""Values of every type are assigned to the bars whose labels describe them."""

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from provhouse.interactive.charts import binning
from provhouse.interactive.charts.guess import guessed
from provhouse.model.errors import BadInput, UsageError


def counted(values: Any, how: binning.Binning = None, kind: pa.DataType = None) -> dict[str, int]:
    """Return the number of values in each non-empty bar."""
    found = binning.bars(pa.table({"x": pa.array(values, kind)}), "x", how)
    assert len(found.labels) == found.number
    return dict(Counter(found.labels[code] for code in found.codes.tolist()))


def test_few_whole_numbers_have_a_bar_each() -> None:
    assert counted([5, 7, 7, None]) == {"5": 1, "7": 2, "(missing)": 1}
    assert counted([5.0, float("nan")]) == {"5": 1, "(missing)": 1}
    assert counted([True, False, True]) == {"true": 2, "false": 1}


def test_other_numbers_have_round_ranges() -> None:
    assert counted([0, 99, 101, 195]) == {
        "0 to 4": 1,
        "95 to 99": 1,
        "100 to 104": 1,
        "195 to 199": 1,
    }
    assert counted([0.0, 0.99, 1.0]) == {"0 to 0.05": 1, "0.95 to 1": 1, "1 to 1.05": 1}
    assert counted([-0.5, 0.25], 3) == {"-0.5 to -0.25": 1, "0 to 0.25": 1}
    assert counted([Decimal("0.5"), Decimal("2")], 1) == {"0.5 to 2": 2}
    assert counted([3.5, 3.5]) == {"3.5 to 3.5": 2}


def test_every_number_is_within_the_edges_of_its_bar() -> None:
    numbers = np.random.default_rng(1).normal(size=10_000) ** 5
    found = binning.bars(pa.table({"x": numbers}), "x", 37)
    edges = found.axes[0].edges
    assert edges is not None
    low, high = np.array(edges)[found.codes], np.array(edges)[found.codes + 1]
    assert ((low <= numbers) & ((numbers < high) | (numbers == edges[-1]))).all()


def test_given_borders_have_a_bar_on_each_side() -> None:
    assert counted([-1, 0, 14.5, 15, 99], [0, 15]) == {
        "below 0": 1, "0 to 15": 2, "15 and more": 2,
    }  # fmt: skip


def test_dates_have_a_bar_for_each_day_also_before_1970() -> None:
    days = [date(1969, 12, 31), date(1970, 1, 1), None]
    assert counted(days) == {"1969-12-31": 1, "1970-01-01": 1, "(missing)": 1}
    times = [datetime(1969, 12, 31, 23, 59), datetime(1970, 1, 1)]
    assert counted(times) == {"1969-12-31": 1, "1970-01-01": 1}
    assert counted(days, "month") == {"1969-12": 1, "1970-01": 1, "(missing)": 1}
    assert counted(days, "year") == {"1969": 1, "1970": 1, "(missing)": 1}


def test_a_time_with_a_zone_is_on_the_day_of_its_zone() -> None:
    late = pa.array([datetime(2020, 1, 1, 2, tzinfo=UTC)], pa.timestamp("us", "America/New_York"))
    assert binning.bars(pa.table({"x": late}), "x").labels == ["2019-12-31"]


def test_dates_over_centuries_have_coarser_bars() -> None:
    days = [date(1, 1, 1), date(1, 1, 1) + timedelta(days=30_000)]
    assert counted(days) == {"0001-01": 1, "0083-02": 1}


def test_text_has_its_most_frequent_values_and_one_bar_for_the_others() -> None:
    texts = ["b", "b", "a", "a", "c", "d", None]
    assert counted(texts, 2) == {"a": 2, "b": 2, "(2 others)": 2, "(missing)": 1}
    found = binning.bars(pa.table({"x": texts}), "x", 2)
    assert found.labels == ["a", "b", "(2 others)", "(missing)"]
    assert found.axes[0].others == 2
    parts = pa.chunked_array([pa.array(["x", "y"]), pa.array(["z", "x"])])
    assert binning.bars(pa.table({"x": parts}), "x").labels == ["x", "y", "z"]
    assert counted(pa.array(texts).dictionary_encode(), 9)["b"] == 2


def test_many_texts_are_counted_as_others() -> None:
    found = binning.bars(pa.table({"x": np.arange(100_000).astype(str)}), "x")
    assert found.labels[-1] == "(99,970 others)"
    assert found.codes.dtype == np.uint8


def test_a_grid_has_a_cell_for_each_two_ranges() -> None:
    table = pa.table({"x": [1, 2, 3], "y": [10, None, 20]})
    found = binning.grid(table, "x", "y", 2)
    labels = [found.labels[code] for code in found.codes]
    assert labels == ["1 to 2, 10 to 15", "2 to 3, (missing)", "2 to 3, 15 to 20"]


@pytest.mark.parametrize(
    ("values", "how", "problem"),
    [
        ([1.5], 1_000_000, "cannot have 1,000,000 bars"),
        ([1], 0, "cannot have 0 bars"),
        ([1], "day", "cannot be divided by 'day'"),
        ([date(2020, 1, 1)], 5, "cannot be divided by 5"),
        (["a"], "day", "cannot be divided by 'day'"),
        ([1], [3, 2], "not in ascending order"),
        ([1], [], "not in ascending order"),
        ([[1]], None, "cannot be charted"),
        ([b"a"], None, "cannot be charted"),
        ([date(1, 1, 1), date(2020, 1, 1)], "day", "would have 737,425 bars"),
    ],
)
def test_what_cannot_be_divided_is_refused(values: Any, how: binning.Binning, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        binning.bars(pa.table({"x": values}), "x", how)


@pytest.mark.parametrize("values", [[None, None], [float("nan")], [1.0, float("inf")]])
def test_a_column_without_a_finite_value_is_refused(values: Any) -> None:
    with pytest.raises(BadInput, match="column 'x'"):
        binning.bars(pa.table({"x": pa.array(values, pa.float64())}), "x")


def test_a_missing_or_repeated_column_is_refused() -> None:
    with pytest.raises(UsageError, match="no column 'z'") as refused:
        binning.bars(pa.table({"x": [1], "y": [2]}), "z")
    assert "x, y" in refused.value.found
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["x", "x"])
    with pytest.raises(UsageError, match="several columns"):
        binning.bars(twice, "x")


def test_a_grid_of_too_many_cells_is_refused() -> None:
    with pytest.raises(UsageError, match="40,000 cells"):
        binning.grid(pa.table({"x": [1.5, 2.5], "y": [1.5, 2.5]}), "x", "y", 200)


def test_chosen_bars_are_described_in_few_words() -> None:
    """Adjacent bars are described as one range. A part of a grid has a range for each axis."""
    days = [date(2020, 1, day) for day in range(1, 9)]
    table = pa.table({"d": [*days, None], "n": [*range(-4, 4), None], "t": [*"abcdefgh", None]})
    found = binning.bars(table, "d").described([4, 1, 2, 8])
    assert found == "2020-01-02 to 2020-01-03, 2020-01-05, (missing)"
    assert binning.bars(table, "n", [-2, 0, 2]).described([1, 2]) == "-2 to 0, 0 to 2"
    assert binning.bars(table, "t").described([2, 0, 1]) == "a, b, c"
    grid = binning.grid(pa.table({"x": [0.0, 1.0, 2.0], "y": [0.0, 1.0, 2.0]}), "x", "y", 2)
    assert grid.described([0, 1, 2, 3]) == "0 to 2 and 0 to 2"
    assert grid.described([0, 3]) == "0 to 1, 0 to 1, 1 to 2, 1 to 2"


@pytest.mark.parametrize(
    "values",
    [
        [2**63 - 1, -(2**63), 0],
        [1e30, 1e30, 1e30],
        [1.7e308, 1.0, 1.0],
        [5e-324, 0.0, 0.0],
        [float(2**53), float(2**53 + 16), float(2**53 + 2)],
    ],
)
def test_extreme_numbers_are_in_one_bar_each(values: list[float]) -> None:
    kind = pa.int64() if isinstance(values[0], int) else pa.float64()
    found = binning.bars(pa.table({"x": pa.array(values, kind)}), "x")
    assert max(found.codes) < found.number
    edges = found.axes[0].edges
    assert edges is not None
    assert edges == sorted(edges)
    for value, code in zip(values, found.codes, strict=True):
        assert edges[code] <= value <= edges[code + 1]


def test_a_range_that_no_number_holds_is_refused() -> None:
    table = pa.table({"x": [1.7e308, -1.7e308]})
    with pytest.raises(UsageError, match="too large to be divided"):
        binning.bars(table, "x")
    assert binning.bars(table, "x", [0.0]).number == 2


@pytest.mark.parametrize(
    "kind", [pa.month_day_nano_interval(), pa.duration("s"), pa.list_(pa.int32()), pa.binary()]
)
def test_types_without_bars_are_refused(kind: pa.DataType) -> None:
    with pytest.raises(UsageError, match="cannot be charted"):
        binning.bars(pa.table({"x": pa.nulls(2, kind)}), "x")


def test_numbers_outside_a_span_have_a_bar_on_each_side() -> None:
    numbers = [-5, 0, 1, 59, 60, 200, None]
    assert counted(numbers, "0..60") == {
        "below 0": 1, "0": 1, "1": 1, "59": 1, "60 and more": 2, "(missing)": 1,
    }  # fmt: skip
    assert counted([0.5, 0.75, 1.0], "0.5..1") == {
        "0.5 to 0.52": 1,
        "0.74 to 0.76": 1,
        "1 and more": 1,
    }
    assert counted([1, 2], "0..9") == {"1": 1, "2": 1}


def test_tails_are_clipped() -> None:
    found = binning.bars(pa.table({"x": [*range(200), 10**9, -(10**9)]}), "x", "clip")
    (axis,) = found.axes
    assert (axis.below, axis.above) == (True, True)
    assert axis.edges is not None
    assert -10 <= axis.edges[0] <= axis.edges[-1] <= 210


def test_borders_by_logarithm_are_round() -> None:
    assert counted([0, 1, 9, 10, 99, 12_345], "log") == {
        "below 1": 1, "1": 1, "7 to 9": 1, "10 to 14": 1, "70 to 99": 1, "10000 to 14999": 1,
    }  # fmt: skip
    wide = np.array([1e-300, 1e-9, 1.0, 1.7e308, -1.0, 0.0])
    found = binning.bars(pa.table({"x": wide}), "x", "log")
    edges = np.array(found.axes[0].edges)
    assert (np.diff(edges) > 0).all()
    assert found.codes.tolist()[-2:] == [0, 0]
    inner = found.codes[:4].astype(int) - 1
    assert (edges[inner] <= wide[:4]).all()


@pytest.mark.parametrize("how", ["0..", "5..5", "9..1", "0..inf", "log"])
def test_unusable_spans_are_refused(how: str) -> None:
    with pytest.raises(UsageError, match="cannot be divided by"):
        binning.bars(pa.table({"x": [-1, -2]}), "x", how)


def test_the_guess_leaves_out_identifiers_and_constants() -> None:
    rows = range(100)
    table = pa.table({
        "id": rows, "name": [f"n{n}" for n in rows], "same": [1] * 100, "list": [[n] for n in rows],
        **{f"x{n}": [row % (n + 2) for row in rows] for n in range(9)},
        "kind": [n % 3 for n in rows], "day": [date(2020, 1, 1 + n % 9) for n in rows],
    })  # fmt: skip
    table = table.set_column(13, "kind", pa.array([str(n % 3) for n in rows]))
    assert guessed(table) == ["x0", "x1", "x2", "x3", "x4", "x5", "kind", "day"]
    assert guessed(pa.table({"a": [[1]]})) == []
