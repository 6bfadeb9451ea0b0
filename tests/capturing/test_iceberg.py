"""Iceberg tables are read and written with exact lineage, on the newest Spark that Iceberg has.

The oracle runs each query again with DuckDB, on only those rows of the data files from which a row
derives: it must return the row, and no longer return it if one of them is missing. The data files
are read without Iceberg. Long tests, since provhouse's own Spark has no Iceberg.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from jars_all import package

from helpers import iceberg_blocks
from helpers.plain_jobs import spark_run
from helpers.warehouse import House
from helpers.witnesses import Found, Row, Witnesses, found_of
from provhouse.capturing.reading.finished import captured_writes
from provhouse.capturing.spark_settings import submit_options
from provhouse.capturing.spark_versions import named
from provhouse.model.errors import NotFound
from provhouse.model.progress import Silent
from provhouse.runtime.jar_lock import Group
from provhouse.runtime.jars import fetch, jar_folder
from provhouse.store.warehouse.captured_blocks import blocks_below

VERSION = named("4.1")
pytestmark = [pytest.mark.long, pytest.mark.timeout(3600)]
REASONS = {
    "truncated branch": "It deletes rows in a branch of the Iceberg table orders",
    "files of a branch": "It deletes rows in a branch of the Iceberg table orders",
    "rows of a branch": "It writes to the branch audit of an Iceberg table",
    "branch": "It writes to the branch audit of an Iceberg table",
    "compaction": "rewrite_data_files",
    "metadata": "the metadata of an Iceberg table",
    "renamed": "of the Iceberg table renamed was renamed",
    "to renamed": "of the Iceberg table renamed was renamed",
    "orc": "The Iceberg table orc has files that are not Parquet",
    "to orc": "in files that are not Parquet",
    "elsewhere": "by write.object-storage.enabled",
}

INSERT = """
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()
spark.sql("CREATE TABLE ice.db.ids (id bigint) USING iceberg")
spark.sql("INSERT INTO ice.db.ids SELECT id FROM range(3)")
"""


def iceberg(group: Group) -> Path:
    """Return the locked jar of Iceberg for a version of Spark."""
    fetch(Silent(), (group,))
    (jar,) = jar_folder(group).glob("*.jar")
    return jar


@dataclass(frozen=True)
class Done:
    """The folder of the blocks, and what was refused in them."""

    folder: Path
    refused: Mapping[str, Any]

    def found(self) -> dict[str, list[Found]]:
        """Return the captured writes, by table, oldest first."""
        found: dict[str, list[Found]] = {}
        for place in ("landing", "more"):
            for block in blocks_below(self.folder / place):
                for write in captured_writes(block):
                    found.setdefault(write.table, []).append(found_of(write))
        return found


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """Run all blocks in one session."""
    folder = tmp_path_factory.mktemp("ice, ünd")
    jar = iceberg("iceberg-4.1_2.13")
    run = subprocess.run(
        [sys.executable, iceberg_blocks.__file__, folder, jar],
        env={**os.environ, "PYTHONPATH": str(package(VERSION).parent)},
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return Done(folder, json.loads(run.stdout.splitlines()[-1]))


def again(query: str, witnesses: Witnesses) -> list[Row]:
    """Run a query on only the given rows of data files."""
    with duckdb.connect() as connection:
        for table, files in witnesses.items():
            parts = [
                pq.read_table(path).take(pa.array(sorted(rows), pa.int64()))
                for path, rows in files.items()
            ]
            connection.register(table, pa.concat_tables(parts))
        return [tuple(row) for row in connection.sql(query).fetchall()]


def check_exact(query: str, found: Found) -> None:
    """Check that each row derives from exactly the rows that the query needs for it."""
    assert found.rows
    for number, row in enumerate(found.rows):
        witnesses = found.witnesses(number)
        assert row in again(query, witnesses), row
        for table, files in witnesses.items():
            for path, rows in files.items():
                for one in rows:
                    others = {**files, path: rows - {one}}
                    assert row not in again(query, {**witnesses, table: others}), (row, path, one)


@pytest.mark.parametrize("block", iceberg_blocks.WRITES)
def test_the_rows_of_a_write_derive_from_exactly_their_sources(block: str, done: Done) -> None:
    table, *later = block.split()
    query = iceberg_blocks.WRITES[block][1]
    found = done.found()[table][len(later)]
    check_exact(query, found)
    every = {name: whole(done, name) for name in found.witnesses(0)}
    if table != "report":  # one of its sources is written in two blocks
        assert sorted(again(query, every)) == sorted(found.rows)


def whole(done: Done, table: str) -> Mapping[Path, set[int]]:
    """Return all rows of a table that was never rewritten."""
    files = (done.folder / "ice house" / "db" / table / "data").rglob("*.parquet")
    return {path: set(range(pq.read_metadata(path).num_rows)) for path in files}


def test_a_read_of_an_earlier_snapshot_derives_from_its_rows(done: Done) -> None:
    (found,) = done.found()["before"]
    check_exact(iceberg_blocks.BEFORE.format("orders"), found)
    assert sum(row[1] for row in found.rows) == 30


def test_rows_deleted_without_rewriting_their_file_are_not_in_a_lineage(done: Done) -> None:
    (found,) = done.found()["live"]
    ids = [row[0] for row in found.rows]
    assert sorted(ids) == [0, 1, 3, 4, 5, 6, 8]
    for number, row in enumerate(found.rows):
        assert again("SELECT id, customer FROM changing", found.witnesses(number)) == [row]


@pytest.mark.parametrize("name", iceberg_blocks.REFUSED)
def test_what_is_not_covered_is_refused_before_it_changes_anything(name: str, done: Done) -> None:
    assert REASONS[name] in done.refused.get(name, "not refused")
    assert done.refused[f"{name} is unchanged"]


def test_lineage_goes_through_the_tables(done: Done, houses: Callable[..., House]) -> None:
    with houses().open() as warehouse:
        warehouse.ingest_captured(done.folder / "landing")

        def lineage(item: str) -> set[str]:
            return {each.item for each in warehouse.lineage(item).items}

        ids = [number for number in range(40) if number % 5 in (0, 2)]
        cities = {item for item in lineage("report/city0") if item.startswith("cities/")}
        assert {item.split("@")[0] for item in cities} == {f"cities/{each}" for each in ids}
        assert len({item.split("@")[1] for item in cities}) == 2  # one version for each append
        assert lineage("report/city0") - cities == {
            *(f"orders/{each}" for each in ids), "customers/c0", "customers/c2"
        }  # fmt: skip
        assert lineage("totals/c2") == {"orders/37"}
        with pytest.raises(NotFound):  # the overwrite has deleted it
            lineage("totals/c1")


def test_iceberg_on_another_spark_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(INSERT)
    catalog = "spark.sql.catalog.ice"
    settings = {
        "spark.provhouse.landing": str(tmp_path / "landing"),
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        f"{catalog}.type": "hadoop",
        f"{catalog}.warehouse": str(tmp_path / "house"),
    }
    jars, ours, *conf = submit_options(settings, "3.5")
    given = [jars, f"{ours},{iceberg('iceberg-3.5_2.12')}", *conf]
    done = spark_run(named("3.5"), "spark-submit", given, [tmp_path / "job.py"], tmp_path)
    assert done.returncode
    assert "only Iceberg 1.12 on Spark 4.1 is covered" in done.stdout + done.stderr
    assert not list((tmp_path / "house").rglob("*.parquet"))
