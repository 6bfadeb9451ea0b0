"""Applications can be captured through their configuration, without changes to their programs."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from helpers.shop import ORDERS, write_shop
from helpers.tpch import KEYS, write_tpch
from helpers.warehouse import House
from helpers.witnesses import Found, associations, captured, found_of, query, read
from provhouse.capturing.reading.finished import captured_writes
from provhouse.capturing.reading.sampled import in_sample
from provhouse.capturing.reading.tap_table import TapTable
from provhouse.capturing.scripts import Ran, run_script
from provhouse.capturing.spark_settings import configuration, submit_options
from provhouse.cli.app import run
from provhouse.query.listing.status import status

QUERIES = Path(__file__).parent / "tpch"
JOB = Path(__file__).parent.parent / "helpers" / "configured_job.py"
DAILY = ("q04",)
READ = {"lineitem", "orders"}
"""The tables that the query of the short test reads."""
COLUMNS = {table: (key,) if isinstance(key, str) else tuple(key) for table, key in KEYS.items()}


@dataclass(frozen=True)
class Job:
    """A job that has run, and the folder in which its lineage waits to land."""

    house: House
    source: Path
    ran: Ran
    errors: dict[str, str]


@pytest.fixture(scope="module")
def job(houses: Callable[..., House], tmp_path_factory: pytest.TempPathFactory) -> Job:
    """A Python program that uses SQL and ends with status 3."""
    house, folder = houses(), tmp_path_factory.mktemp("configured")
    write_tpch(folder / "tables", 0.001)
    for table in set(KEYS) - READ:
        shutil.rmtree(folder / "tables" / table)
    (folder / "out").mkdir()
    settings = configuration(house.settings.warehouse, {**COLUMNS, "lost": ("id",)}, "nightly")
    paths = [str(path) for path in (folder / "tables", folder / "out", house.settings.warehouse)]
    ran = run_script(JOB, [*paths, *DAILY], settings)
    errors = json.loads((folder / "out" / "errors.json").read_text())
    return Job(house, folder / "tables", ran, errors)


def taps(found: Found) -> list[TapTable]:
    """Return the taps of a write without their folders, code positions and column ids.

    Column ids are counted per session. The positions are lines of SQL in one session and lines of
    Python in the other.
    """
    plain = re.compile(r"#\d+")
    return [
        replace(tap, sql=plain.sub("", tap.sql), folder=Path(), place="")
        for tap in found.traced.output.write.taps
    ]


def by_python(spark: SparkSession, name: str, source: Path, folder: Path) -> Found:
    """Capture a query with ``provhouse.capture``."""
    program = query((QUERIES / f"{name}.sql").read_text(encoding="utf-8"))
    return captured(spark, program(read(spark, source)), folder / name)


def check(
    folder: Path, names: tuple[str, ...], spark: SparkSession, source: Path, at: Path
) -> None:
    """Compare each query's captured lineage in a folder with the lineage that Python captures."""
    writes = {write.table: write for write in captured_writes(folder)}
    assert sorted(writes) == sorted(names)
    for name in names:
        expected = by_python(spark, name, source, at)
        found = found_of(writes[name])
        assert associations(found) == associations(expected), name
        assert taps(found) == taps(expected), name


@pytest.mark.long
def test_sql_has_the_associations_of_python(job: Job, spark: SparkSession, tmp_path: Path) -> None:
    folder, second = job.ran.folders[0], job.ran.folders[1:]
    assert not second
    check(folder, DAILY, spark, job.source, tmp_path)


@pytest.mark.long
def test_a_running_job_is_not_waiting(job: Job) -> None:
    assert job.errors["waiting"] == "0"


@pytest.mark.long
def test_a_block_inside_of_a_configured_session_is_refused(job: Job) -> None:
    assert "spark.provhouse.warehouse" in job.errors["nested"]


@pytest.mark.long
def test_what_is_not_covered_is_refused_with_a_remedy(job: Job) -> None:
    assert "spark.provhouse.onUnsupported=plain" in job.errors["collated"]


@pytest.mark.long
def test_settings_hold_for_the_whole_application(job: Job) -> None:
    assert "have changed" in job.errors["changed"]


@pytest.mark.long
def test_an_unknown_setting_is_refused(job: Job) -> None:
    assert "spark.provhouse.wharehouse" in job.errors["unknown"]


@pytest.mark.long
def test_a_budget_that_is_no_number_is_refused(job: Job) -> None:
    assert "spark.provhouse.budgetMb is not a number above 0" in job.errors["budget"]


@pytest.mark.long
def test_the_exit_status_is_that_of_the_script(job: Job) -> None:
    assert job.ran.status == 3


@pytest.mark.long
def test_what_has_ended_is_ingested_without_naming_its_folder(job: Job, tmp_path: Path) -> None:
    (waiting,) = status(job.house.settings).waiting
    assert (waiting.run, bool(waiting.ended), waiting.error) == ("nightly", True, "")
    with job.house.open() as warehouse:
        landed = warehouse.ingest_captured()
        assert sorted(write.table for write in landed.writes) == sorted(DAILY)
        assert landed.unused_keys
        assert landed.unused_keys.declared == tuple(sorted({"lost", *KEYS} - READ))
        (found, *_) = warehouse.find("q04/").items
        sources = warehouse.lineage(found.item).items
        assert {item.table for item in sources} >= READ
    assert not status(job.house.settings).waiting


def test_a_script_without_spark_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "job.py"
    script.write_text("")
    assert run(["--warehouse", str(tmp_path / "house"), "run-spark", str(script)]) == 2
    assert "was captured" in capsys.readouterr().err


def test_a_script_that_fails_has_its_own_status(tmp_path: Path) -> None:
    script = tmp_path / "job.py"
    script.write_text("import sys\nsys.exit(int(sys.argv[2]))")
    options = ["--warehouse", str(tmp_path / "house"), "run-spark", str(script), "--run", "7"]
    assert run(options) == 7


@pytest.mark.long
def test_what_is_not_covered_runs_plainly_by_configuration(
    houses: Callable[..., House], tmp_path: Path
) -> None:
    write_shop(tmp_path)
    house, script = houses(), tmp_path / "job.py"
    script.write_text(
        "import sys\nfrom pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.master('local[2]').getOrCreate()\n"
        "orders = spark.read.parquet(sys.argv[1] + '/orders')\n"
        "folded = orders.selectExpr(\"named_struct('c', cust COLLATE UTF8_LCASE) AS c\")\n"
        "folded.distinct().write.parquet(sys.argv[1] + '/plain')\n"
        "orders.where('id > 4').write.parquet(sys.argv[1] + '/kept')\n"
        "spark.stop()\n"
    )
    keys = {"orders": ("id",), "kept": ("id",)}
    ran = run_script(
        script, [str(tmp_path)], configuration(house.settings.warehouse, keys, plain=True)
    )
    assert ran.status == 0
    assert list((tmp_path / "plain").glob("part-*"))
    with house.open() as warehouse:
        landed = warehouse.ingest_captured()
        assert [each.table for each in landed.writes] == ["kept"]
        assert len(landed.refusals) == 1
        for order in ORDERS[4:]:
            found = {each.item for each in warehouse.lineage(f"kept/{order.id}").items}
            assert found == {f"orders/{order.id}"}
    assert [each.table for each in status(house.settings).uncaptured] == ["plain"]


def test_a_budget_is_a_setting(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--warehouse", str(tmp_path), "spark-conf"]
    assert run([*options, "--budget-mb", "0.5", "--budget-seconds", "60"]) == 0
    printed = capsys.readouterr().out
    assert "--conf spark.provhouse.budgetMb=0.5\n" in printed
    assert "--conf spark.provhouse.budgetSeconds=60.0\n" in printed
    assert run([*options, "--budget-mb", "0"]) == 2
    assert "--budget-mb is not a number above 0" in capsys.readouterr().err


def test_a_sample_and_values_are_settings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--warehouse", str(tmp_path), "spark-conf"]
    assert run([*options, "--sample", "0.25", "--values"]) == 0
    printed = capsys.readouterr().out
    assert "--conf spark.provhouse.sample=0.25\n" in printed
    assert "--conf spark.provhouse.values=true\n" in printed
    assert run([*options, "--sample", "2"]) == 2
    assert "--sample is not a fraction of the rows" in capsys.readouterr().err


@pytest.mark.long
def test_a_sample_is_a_setting_of_an_application(
    houses: Callable[..., House], tmp_path: Path
) -> None:
    write_shop(tmp_path)
    house, script = houses(), tmp_path / "job.py"
    script.write_text(
        "import sys\nfrom pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.master('local[2]').getOrCreate()\n"
        "orders = spark.read.parquet(sys.argv[1] + '/orders')\n"
        "orders.coalesce(1).write.parquet(sys.argv[1] + '/kept')\n"
        "orders.groupBy('small').sum('id').write.parquet(sys.argv[1] + '/sums')\n"
        "try:\n    orders.write.csv(sys.argv[1] + '/refused')\n"
        "finally:\n    spark.stop()\n"
    )
    keys = {"orders": ("id",), "kept": ("id",), "refused": ("id",)}
    settings = configuration(house.settings.warehouse, keys, sample=0.25, values=True)
    assert run_script(script, [str(tmp_path)], settings).status == 1
    assert not (tmp_path / "refused").exists()
    (folder,) = (house.settings.warehouse / "captured").iterdir()
    assert [[tap.valued for tap in write.taps] for write in captured_writes(folder)] == [[], [True]]
    (file,) = (tmp_path / "kept").glob("*.parquet")
    rows = pq.read_table(file)["id"].to_numpy()
    kept = [0, *np.flatnonzero(in_sample(0, len(rows), 0.25))]
    with house.open() as warehouse:
        landed = warehouse.ingest_captured()
        assert [each.sample for each in landed.writes] == [0.25, 0.25]
        found = {each.item.partition("@")[0] for each in warehouse.find("kept/").items}
    assert found == {f"kept/{rows[row]}" for row in kept}


@pytest.mark.long
def test_a_budget_stops_the_capture_of_an_application(
    houses: Callable[..., House], tmp_path: Path
) -> None:
    house, script = houses(), tmp_path / "job.py"
    script.write_text(
        "import sys\nfrom pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.master('local[2]').getOrCreate()\n"
        "spark.range(20000).write.parquet(sys.argv[1] + '/source')\n"
        "source = spark.read.parquet(sys.argv[1] + '/source')\n"
        "source.where('id < 4').write.parquet(sys.argv[1] + '/few')\n"
        "groups = source.groupBy(source.id.cast('string')).max('id')\n"
        "groups.write.parquet(sys.argv[1] + '/many')\n"
        "spark.stop()\n"
    )
    settings = configuration(house.settings.warehouse, {}, plain=True, budget_mb=0.1)
    assert run_script(script, [str(tmp_path)], settings).status == 0
    with house.open() as warehouse:
        landed = warehouse.ingest_captured()
    assert [each.table for each in landed.writes] == ["few"]
    (uncaptured,) = [each for each in status(house.settings).uncaptured if each.table == "many"]
    assert "the budget is 0.100 MB" in uncaptured.reason


@pytest.mark.long
def test_a_shell_captures_all_queries_as_python_does(spark: SparkSession, tmp_path: Path) -> None:
    write_tpch(tmp_path / "tables", 0.001)
    names = tuple(sorted(path.stem for path in QUERIES.glob("*.sql")))
    lines = [
        f"CREATE TEMPORARY VIEW {table.name} USING parquet OPTIONS (path '{table.as_uri()}');"
        for table in sorted((tmp_path / "tables").iterdir())
    ]
    for name in names:
        text = (QUERIES / f"{name}.sql").read_text(encoding="utf-8").strip().rstrip(";")
        lines.append(f"CREATE TABLE {name} USING parquet LOCATION '{tmp_path / name}' AS {text};")
    (tmp_path / "job.sql").write_text("\n".join(lines))
    subprocess.run(
        [Path(sys.executable).with_name("spark-sql"), "--master", "local[2]",
         *submit_options(configuration(tmp_path / "house", COLUMNS)),
         "--conf", "spark.sql.extensions=provhouse.capturing.Extension",
         "--conf", "spark.ui.enabled=false", "--conf", "spark.sql.shuffle.partitions=8",
         "-f", tmp_path / "job.sql"],
        cwd=tmp_path, check=True,
    )  # fmt: skip
    (folder,) = (tmp_path / "house" / "captured").iterdir()
    check(folder, names, spark, tmp_path / "tables", tmp_path / "python")
