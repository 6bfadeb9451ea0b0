"""After old versions of captured rows have ended, each remaining version keeps all its lineage."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import provhouse
from helpers.flow import Flow
from helpers.warehouse import House
from provhouse.care.rollback import rollback
from provhouse.care.tidy import tidy
from provhouse.model.errors import UsageError
from provhouse.model.keeping import keeping
from provhouse.model.progress import Silent

ROWS, NIGHTS = 4, 2
SOURCES = [f"orders{night}" for night in range(1, NIGHTS + 1)]
TABLES = ("report", "lines", "log", "extra")


@dataclass(frozen=True)
class Nights:
    """A warehouse after several nights, and the versions of each table by night."""

    house: House
    versions: dict[str, list[int]]


@pytest.fixture
def nights(houses: Callable[..., House], spark: SparkSession, tmp_path: Path) -> Nights:
    """Each night, a job overwrites a report, overwrites lines without a key, and appends to a log.

    The table ``extra`` derives from one row of the first night's report.
    """
    house, versions = houses(), dict[str, list[int]]()
    for night, source in enumerate(SOURCES, start=1):
        pq.write_table(pa.table({"id": range(1, ROWS + 1)}), tmp_path / f"{source}.parquet")
        orders = spark.read.parquet(str(tmp_path / f"{source}.parquet"))
        named = orders.selectExpr("concat('g', id % 2) AS name", "id")
        keys = {source: "id", "log": "id", "report": "name"}
        with house.capture(keys=keys | ({"extra": "name"} if night == 1 else {})) as run:
            counted = named.groupBy("name").count()
            counted.write.mode("overwrite").parquet(str(tmp_path / "report"))
            named.write.mode("overwrite").parquet(str(tmp_path / "lines"))
            orders.selectExpr(f"id + {10 * night} AS id").write.mode("append").parquet(
                str(tmp_path / "log")
            )
            if night == 1:
                rows = spark.read.parquet(str(tmp_path / "report")).where("name = 'g0'")
                rows.write.parquet(str(tmp_path / "extra"))
        assert run.report
        for write in run.report.writes:
            versions.setdefault(write.table, []).append(write.version)
    return Nights(house, versions)


def lineages(warehouse: provhouse.Warehouse) -> dict[str, frozenset[str]]:
    """Return the items that each row derives from, by the row's name and version."""
    return {
        item.item: frozenset(each.item for each in warehouse.lineage(item.item).items)
        for table in TABLES
        for item in warehouse.find(f"{table}/", limit=1_000).items
    }


def replaced(nights: Nights, found: Iterable[str]) -> set[str]:
    """Return the rows of the first night that were overwritten and from which nothing derives."""
    lines = {
        item
        for item in found
        if item.startswith("lines/")
        and int(item.partition("/")[2]) >> 40 == nights.versions["lines"][0]
    }
    assert len(lines) == ROWS
    return {f"report/g1@{nights.versions['report'][0]}"} | lines


@pytest.mark.long
def test_what_stays_keeps_its_lineage(nights: Nights) -> None:
    second = nights.versions["report"][1]
    with nights.house.open() as warehouse:
        before = lineages(warehouse)
        assert all(before.values())
        done = warehouse.retract(versions_before=str(second))
        after = lineages(warehouse)
    nights.house.check()
    ended = replaced(nights, before)
    assert after == {item: frozenset() if item in ended else before[item] for item in before}
    assert done.ended == sum(len(before[item]) for item in ended)
    rollback(nights.house.settings, Silent())
    with nights.house.open() as warehouse:
        assert lineages(warehouse) == before


@pytest.mark.long
def test_tidying_ends_old_versions_as_a_part_of_the_last_ingest(
    nights: Nights, tmp_path: Path
) -> None:
    house, flow = nights.house, Flow(tmp_path / "flow", "create table t(k integer primary key);")
    flow.folder.mkdir()
    flow.settings = house.settings
    flow.table("t", "select i::integer k from range(5) t(i)")
    query = "select k from t where k > 2"
    flow.execute(flow.add(query), query, "t")
    with house.open() as warehouse:
        before = lineages(warehouse)
        first = warehouse.generations()[0].generation
        early = {item.item for item in warehouse.impact("orders1/1", as_of=first).items}
    done = tidy(house.settings, Silent(), keeping("1d,1d", datetime.now(UTC) + timedelta(days=2)))
    ended = replaced(nights, before)
    assert done.ended == sum(len(before[item]) for item in ended)
    house.check()
    with house.open() as warehouse:
        after = {item: frozenset() if item in ended else before[item] for item in before}
        assert lineages(warehouse) == after
    rollback(house.settings, Silent())  # undoes the tidying and the ingest of the second night
    with house.open() as warehouse:
        assert {item.item for item in warehouse.impact("orders1/1").items} == early
        assert not len(warehouse.find("orders2/").items)
    assert flow.reuse(1).decision == "reuse"


@pytest.mark.long
def test_a_time_is_a_limit(nights: Nights) -> None:
    early = datetime(2020, 1, 1, tzinfo=UTC).isoformat()
    late = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    with nights.house.open() as warehouse:
        assert not warehouse.retract(versions_before=early).committed
        assert warehouse.retract(versions_before=late).committed
        assert not warehouse.retract(versions_before=late).committed  # nothing is left to end
        with pytest.raises(UsageError, match="takes a version, or a time"):
            warehouse.retract(versions_before="yesterday")
        with pytest.raises(UsageError, match="not clear"):
            warehouse.retract("orders1/1", versions_before="3")
        found = {each.item for each in warehouse.lineage("report/g1").items}
        assert found == {f"orders{NIGHTS}/{number}" for number in range(1, ROWS + 1, 2)}
