import numpy as np
import pytest

from provhouse.query.zoom.numbering import dense_distinct


@pytest.mark.parametrize("most", [1, 3, 60, 10_000])
@pytest.mark.parametrize("count", [0, 1, 50])
def test_distinct_values_are_those_of_numpy(count: int, most: int) -> None:
    values = np.random.default_rng(count + most).integers(-5, most, count)
    found, places = dense_distinct(values)
    expected, at = np.unique(values, return_inverse=True)
    assert found.tolist() == expected.tolist()
    assert places.tolist() == at.tolist()
