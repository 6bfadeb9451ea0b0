"""DELETE, UPDATE and MERGE of Delta tables on each Spark that Delta supports, against the model.

The usual tests run on provhouse's own Spark. ``make jars-all`` installs the others.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pytest

from helpers.changing_elsewhere import ChangingElsewhere
from helpers.other_session import OtherSession, started
from helpers.warehouse import House
from provhouse.capturing.jar import own_version
from provhouse.capturing.spark_versions import SparkVersion

from .test_plain_jobs import WITH_DELTA, delta
from .test_random_changes import PROPERTIES, Program

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
VERSIONS = [version for version in WITH_DELTA if version != own_version()]
SEEDS = 2


@pytest.fixture(scope="module", params=VERSIONS, ids=str)
def version(request: pytest.FixtureRequest) -> SparkVersion:
    """A version of Spark."""
    return cast("SparkVersion", request.param)


@pytest.fixture(scope="module")
def session(
    version: SparkVersion, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OtherSession]:
    """A session with Delta, for all tests of a version."""
    settings = {
        "spark.jars": delta(version),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "1",  # instead of 50 tasks a command
    }
    with started(version, tmp_path_factory.mktemp("session"), settings) as session:
        yield session


def test_random_changes_have_the_lineage_of_the_model(
    session: OtherSession, houses: Callable[..., House], tmp_path: Path
) -> None:
    for name, properties in PROPERTIES.items():
        for seed in range(SEEDS):
            folder = tmp_path / f"{name} {seed}"
            folder.mkdir()
            table = ChangingElsewhere(houses(), folder, session=session, properties=properties)
            program = Program(table, seed)
            program.begin()
            for _ in range(8):
                program.step()
                assert table.rows() == program.rows, folder.name
            table.check()


@pytest.mark.parametrize("command", ["OPTIMIZE {}", "REORG TABLE {} APPLY (PURGE)"])
def test_moved_rows_keep_their_versions(
    command: str, session: OtherSession, houses: Callable[..., House], tmp_path: Path
) -> None:
    vectors = {"enableDeletionVectors": "true"}
    table = ChangingElsewhere(houses(), tmp_path, session=session, properties=vectors)
    orders = table.source("orders", k=[*range(8)], v=[*range(8)])
    table.load(orders, {key: f"orders/{key}" for key in range(8)})
    version = table.run("DELETE FROM {} WHERE k = 5")
    table.note(version, {}, gone=[5])
    table.run(command)
    version = table.run("UPDATE {} SET v = v + 1 WHERE k = 1")
    table.note(version, {1: []})
    table.check()
