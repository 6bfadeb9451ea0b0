"""Cases of all rules in one block: the short version of the tests in nine other files.

A block with its ingest and its checks takes longer than a case. So the short tests write a few
cases of each file in one common block, and ``make test-long`` writes all cases of each file in a
separate block.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from helpers.lineage_cases import Done, written
from helpers.shop import write_shop
from helpers.warehouse import House

from . import (
    test_cached,
    test_collected,
    test_lateral,
    test_more_rules,
    test_nested_keys,
    test_python,
    test_python_groups,
    test_row_by_row,
    test_rules,
)

FILES = (
    test_rules,
    test_more_rules,
    test_collected,
    test_lateral,
    test_nested_keys,
    test_python,
    test_python_groups,
    test_row_by_row,
    test_cached,
)
SUPERSETS = {"semi_on_two_conditions"}
"""The cases whose captured lineage lists more rows than the result was made from."""
SETTINGS = {
    "spark.sql.execution.pythonUDF.arrow.enabled": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "2",
}
"""The settings that ``test_python.py`` and ``test_row_by_row.py`` need."""


@pytest.fixture
def settings(spark: SparkSession) -> Iterator[None]:
    for name, value in SETTINGS.items():
        spark.conf.set(name, value)
    yield
    for name in SETTINGS:
        spark.conf.unset(name)
    spark.catalog.clearCache()


@pytest.mark.long
@pytest.mark.usefixtures("settings")
def test_each_row_has_exactly_its_lineage_and_each_operation_its_exactness(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    write_shop(tmp_path)
    cases = {name: file.CASES[name] for file in FILES for name in file.DAILY}
    assert len(cases) == sum(len(file.DAILY) for file in FILES)
    done = written(cases, tmp_path, houses(), spark)
    done.check_all()
    assert _supersets(done) == SUPERSETS


def _supersets(done: Done) -> set[str]:
    """Return the cases with an op whose lineage the warehouse calls a superset."""
    with done.house.open() as warehouse:
        ops = warehouse.ops()
    assert {op.exactness for op in ops} <= {"exact", "absence", "superset"}
    return {op.op.partition(":")[0] for op in ops if op.exactness == "superset"}
