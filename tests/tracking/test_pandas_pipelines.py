"""Thirty typical pipelines: results equal pandas', and lineage is checked."""

import pytest

from helpers.frame_oracle import check
from helpers.frame_pipelines import PIPELINES, data
from helpers.sampled import one_in

pytestmark = pytest.mark.filterwarnings("ignore:The behavior of Index.insert")  # pandas' pivot


def test_there_are_thirty() -> None:
    assert len(PIPELINES) == 30


@pytest.mark.parametrize("name", one_in(3, PIPELINES))
def test_pipeline(name: str) -> None:
    check(PIPELINES[name], data(1))


@pytest.mark.parametrize(
    ("name", "seed"), one_in(1000, [(name, seed) for seed in range(2, 7) for name in PIPELINES])
)
def test_pipeline_on_other_data(name: str, seed: int) -> None:
    check(PIPELINES[name], data(seed), most=30)
