"""Jobs can leave their lineage on HDFS or S3 if they share no folder with the warehouse.

The servers are real, and run on this machine. S3 is skipped if Go, which builds it, is missing.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helpers.landing_jobs import LINEAGE, lineage, run
from helpers.s3 import USER
from helpers.storages import Storage, storage_of
from helpers.warehouse import House
from provhouse.capturing.jar import own_version
from provhouse.capturing.reading.finished import captured_writes
from provhouse.capturing.spark_versions import VERSIONS, SparkVersion
from provhouse.ingest.landing.fetched_folders import fetch, localise
from provhouse.ingest.landing.hadoop_files import applications
from provhouse.model.errors import BadInput, Busy
from provhouse.store.warehouse.layout import Layout

pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]


@pytest.fixture(scope="module", params=["hdfs", "s3"])
def storage(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Storage]:
    """A running storage, which provhouse reaches from this process, too."""
    folder = tmp_path_factory.mktemp(request.param)
    with storage_of(request.param, folder) as found, pytest.MonkeyPatch.context() as patch:
        for name, value in found.environment.items():
            patch.setenv(name, value)
        yield found


@pytest.mark.parametrize("version", VERSIONS, ids=str)
@pytest.mark.parametrize("end", ["", "retried"])
def test_lineage_is_fetched_with_the_files_of_its_tables(
    version: SparkVersion, end: str, storage: Storage, tmp_path: Path
) -> None:
    layout = Layout(tmp_path / "house")
    landing = run(version, storage, tmp_path, end=end)
    (folder,) = fetch(landing, layout)
    localise(folder, layout)
    assert lineage(folder) == LINEAGE
    assert applications(landing) == {}
    left = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
    assert not any(USER["AWS_SECRET_ACCESS_KEY"].encode() in each for each in left)


def test_lineage_lands(storage: Storage, houses: Callable[..., House], tmp_path: Path) -> None:
    house = houses()
    landing = run(own_version(), storage, tmp_path)
    with house.open() as warehouse:
        landed = warehouse.ingest_captured(landing)
        assert {write.table: write.rows for write in landed.writes} == {"cleaned": 3, "totals": 2}
        found = {each.item.partition("@")[0] for each in warehouse.lineage("totals/ann").items}
        assert found == {"cleaned/1", "cleaned/3", "orders/1", "orders/3"}
        with pytest.raises(BadInput, match="no captured application"):
            warehouse.ingest_captured(landing)


@pytest.mark.parametrize("end", ["lost", "torn"])
def test_the_finished_writes_of_a_lost_driver_are_fetched_by_the_address_of_their_folder(
    end: str, storage: Storage, tmp_path: Path
) -> None:
    layout = Layout(tmp_path / "house")
    landing = run(own_version(), storage, tmp_path, end=end)
    ((address, has_ended),) = applications(landing).items()
    assert not has_ended
    with pytest.raises(Busy, match="drivers were lost"):
        fetch(landing, layout)
    (folder,) = fetch(address, layout)
    localise(folder, layout)
    assert lineage(folder) == LINEAGE
    is_torn = [write.state == "unknown" for write in captured_writes(folder)]
    assert is_torn == [False, False] + [True] * (end == "torn")
    assert bool(list(folder.glob("2/**/*.parquet"))) == (end == "torn")
