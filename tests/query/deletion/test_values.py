"""An aggregate without one input at a time is that of a loop over all other inputs."""

from collections.abc import Callable

import numpy as np
import pytest

from provhouse.model.operations import FUNCTIONS
from provhouse.query.deletion.alternatives import alternatives

AGGREGATES: dict[str, Callable[[list[float]], float]] = {
    "sum": sum, "count": len, "min": min, "max": max,
    "avg": lambda values: sum(values) / len(values),
    "count_distinct": lambda values: len(set(values)),
}  # fmt: skip


@pytest.mark.parametrize("function", AGGREGATES)
@pytest.mark.parametrize("count", [1, 2, 40])
def test_an_aggregate_without_each_input(function: str, count: int) -> None:
    rng = np.random.default_rng(count)
    values = rng.integers(-9, 9, count) / 4
    times = rng.integers(1, 3, count)
    chosen = rng.permutation(count)[: (count + 1) // 2]
    code = FUNCTIONS.index(function)
    found = alternatives(values, times, code, chosen)
    for place, value in zip(chosen.tolist(), found.tolist(), strict=True):
        left = [v for n, (v, t) in enumerate(zip(values.tolist(), times.tolist(), strict=True))
                for _ in range(t) if n != place]  # fmt: skip
        if left or function in ("sum", "count", "count_distinct"):
            assert value == pytest.approx(AGGREGATES[function](left)), place
        else:
            assert np.isnan(value)
