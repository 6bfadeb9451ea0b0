"""Random programs on polars frames: results equal those of polars, and lineage is checked."""

import pytest

from helpers.frame_oracle import check
from helpers.random_polars import random_polars
from helpers.sampled import one_in

BATCH = 25


@pytest.mark.parametrize("first", one_in(80, range(0, 2000, BATCH)))
def test_random_programs(first: int) -> None:
    for seed in range(first, first + BATCH):
        program = random_polars(seed)
        try:
            check(program, program.data, most=4)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {program}: {error}") from error
