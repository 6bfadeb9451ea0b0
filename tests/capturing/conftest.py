"""Fixtures that the tests of the rules of capture share."""

from collections.abc import Callable, Iterable

import pytest
from pyspark.sql import SparkSession

from helpers.lineage_cases import Block, Done, written
from helpers.shop import write_shop
from helpers.warehouse import House


@pytest.fixture(scope="module")
def block(
    request: pytest.FixtureRequest,
    houses: Callable[..., House],
    spark: SparkSession,
    tmp_path_factory: pytest.TempPathFactory,
) -> Block:
    """A function that writes, in one block, those ``CASES`` of the test file that are named."""

    def write(names: Iterable[str]) -> Done:
        folder = tmp_path_factory.mktemp("a shop, ünd")
        write_shop(folder)
        cases = {name: request.module.CASES[name] for name in names}
        return written(cases, folder, houses(), spark)

    return write
