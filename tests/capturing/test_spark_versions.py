"""Every supported version of Spark captures the same lineage as provhouse's own Spark.

The jobs run with the PySpark of the tested version and without the provhouse package: the jar and
its settings suffice. `make jars-all` installs the versions and compiles their jars.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from jars_all import package
from pyspark.sql import SparkSession

from helpers.tpch import write_tpch
from helpers.warehouse import House
from helpers.witnesses import Found, associations, captured, found_of, query, read
from provhouse.capturing.jar import FOLDER as CODE
from provhouse.capturing.jar import own_version
from provhouse.capturing.jar import sources as java_sources
from provhouse.capturing.reading.finished import captured_writes
from provhouse.capturing.spark_settings import configuration, submit_options
from provhouse.capturing.spark_versions import VERSIONS, SparkVersion, fitting, named
from provhouse.model.errors import UsageError

JOB = Path(__file__).parent.parent / "helpers" / "plain_job.py"
COMMON = (
    "--conf spark.ui.enabled=false",
    "--conf spark.sql.shuffle.partitions=8",
    "--conf spark.sql.ansi.enabled=true",  # the default from Spark 4.0 on
)
BLOCK = JOB.with_name("captured_block.py")
TPCH = Path(__file__).parent / "tpch"
OTHERS = [version for version in VERSIONS if version != own_version()]
QUERIES = {
    "joined": "SELECT o_orderkey, c_name FROM orders JOIN customer ON o_custkey = c_custkey "
    "WHERE o_totalprice > 1000",
    "outer_joined": "SELECT c_custkey, o_orderkey FROM customer LEFT JOIN orders "
    "ON o_custkey = c_custkey AND o_orderkey % 3 = 0",
    "frames": "SELECT o_orderkey, lag(o_totalprice, 2) OVER w AS earlier, rank() OVER w AS place, "
    "sum(o_totalprice) OVER (PARTITION BY o_custkey ORDER BY o_orderkey "
    "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS two FROM orders "
    "WINDOW w AS (PARTITION BY o_custkey ORDER BY o_orderkey)",
    "distinct_groups": "SELECT DISTINCT o_custkey, o_orderstatus FROM orders",
    "cubed": "SELECT o_orderstatus, o_orderpriority, count(*) AS orders, count(DISTINCT o_custkey) "
    "AS customers FROM orders GROUP BY CUBE (o_orderstatus, o_orderpriority)",
    "both": "SELECT c_custkey AS number FROM customer UNION ALL SELECT o_custkey FROM orders",
    "some": "SELECT o_custkey FROM orders INTERSECT SELECT c_custkey FROM customer",
    "exploded": "SELECT o_custkey, explode(keys) AS key FROM (SELECT o_custkey, "
    "collect_list(o_orderkey) AS keys FROM orders GROUP BY o_custkey)",
    "nested_key": "SELECT key.a, count(*) AS orders FROM (SELECT named_struct('a', o_custkey, "
    "'b', array(o_orderstatus)) AS key FROM orders) GROUP BY key",
    "highest": "SELECT o_orderkey FROM orders WHERE o_totalprice = (SELECT max(o_totalprice) "
    "FROM orders)",
    "pivoted": "SELECT * FROM (SELECT o_custkey, o_orderstatus, o_totalprice FROM orders) "
    "PIVOT (max(o_totalprice) FOR o_orderstatus IN ('O', 'F'))",
    "sessions": "SELECT session_window.start, count(*) AS orders FROM orders "
    "GROUP BY session_window(CAST(o_orderdate AS timestamp), '1 day')",
}
"""Queries with the operators that TPC-H lacks."""


def queries() -> dict[str, str]:
    """Return all queries, including those of TPC-H, keyed by the table that each one creates."""
    files = sorted(TPCH.glob("*.sql"))
    texts = {file.stem: file.read_text(encoding="utf-8").strip().rstrip(";") for file in files}
    return {**QUERIES, **texts}


def run(version: SparkVersion, statements: list[str], options: list[str], at: Path) -> str:
    """Run ``statements`` with spark-submit of ``version`` and return what it prints to stderr.

    The job uses the interpreter on which the virtual environment is based, because provhouse is not
    installed there.
    """
    (at / "job.sql").write_text(";\n".join(statements) + ";\n", encoding="utf-8")
    done = subprocess.run(
        [Path(sys.base_prefix) / "bin" / "python3", JOB, at / "job.sql"],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(at),
            "PYTHONPATH": str(package(version).parent),
            "PYSPARK_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_SUBMIT_ARGS": " ".join([*options, *COMMON, "pyspark-shell"]),
        },
        cwd=at,
        stderr=subprocess.PIPE,
        text=True,
    )
    return done.stderr if done.returncode else ""


def views(source: Path) -> list[str]:
    """Return statements that create a view of each table in the folder ``source``."""
    return [
        f"CREATE TEMPORARY VIEW {table.name} USING parquet OPTIONS (path '{table.as_uri()}')"
        for table in sorted(source.iterdir())
    ]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of TPC-H."""
    folder = tmp_path_factory.mktemp("tpch")
    write_tpch(folder, 0.001)
    return folder


@pytest.fixture(scope="module")
def expected(
    spark: SparkSession, source: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Found]:
    """The lineage that provhouse's own Spark captures for each query."""
    folder, tables = tmp_path_factory.mktemp("ours"), read(spark, source)
    return {
        name: captured(spark, query(text)(tables), folder / name)
        for name, text in queries().items()
    }


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("version", OTHERS, ids=str)
def test_a_job_has_the_associations_of_the_same_job_on_our_spark(
    version: SparkVersion, expected: Mapping[str, Found], source: Path, tmp_path: Path
) -> None:
    statements = views(source)
    for name, text in queries().items():
        statements.append(
            f"CREATE TABLE {name} USING parquet LOCATION '{tmp_path / name}' AS {text}"
        )
    settings = configuration(tmp_path / "house", {})
    assert run(version, statements, submit_options(settings, str(version)), tmp_path) == ""
    (folder,) = (tmp_path / "house" / "captured").iterdir()
    writes = {write.table: write for write in captured_writes(folder)}
    assert sorted(writes) == sorted(queries())
    for name, ours in expected.items():
        found = found_of(writes[name])
        assert associations(found) == associations(ours), name
        assert found.supersets == ours.supersets, name


@pytest.mark.long
@pytest.mark.parametrize("version", [each for each in VERSIONS if each.spark > "3.5"], ids=str)
def test_a_block_lands_and_walks(
    version: SparkVersion, houses: Callable[..., House], tmp_path: Path
) -> None:
    house, orders = houses(), tmp_path / "orders"
    orders.mkdir()
    rows = {"id": [1, 2, 3, 4], "customer": ["ann", "bob"] * 2, "price": [30.0, 5.0, 20.0, 50.0]}
    pq.write_table(pa.table(rows), orders / "all.parquet")
    paths = [orders, tmp_path, house.settings.warehouse, house.settings.neo4j_home]
    done = subprocess.run(
        [sys.executable, BLOCK, *map(str, paths)],
        env={**os.environ, "PYTHONPATH": str(package(version).parent)},
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        check=True,
    )
    found = json.loads(done.stdout.splitlines()[-1])
    assert re.match(rf"{version.spark}\.\S+ {version.scala}\.", found["version"])
    assert found["back"] == [1, 3]
    assert found["again"] == [["ann", 30.0], ["bob", 50.0]]
    lineage = {
        "report/ann": {"cleaned/1", "cleaned/3", "orders/1", "orders/3"},
        "named/bob": {"orders/2"},
        "copied/4": {"orders/4"},
        "once/1": {"orders/1"},
        "once/4": {"orders/4"},
    }
    with house.open() as opened:
        for item, sources in lineage.items():
            items = {each.item.split("@")[0] for each in opened.lineage(item).items}
            assert items == sources


@pytest.mark.long
def test_the_jar_of_another_spark_is_refused_by_name(source: Path, tmp_path: Path) -> None:
    other, version = own_version(), VERSIONS[-1]
    target = tmp_path / "copy"
    copy = f"CREATE TABLE copy USING parquet LOCATION '{target}' AS SELECT * FROM nation"
    settings = configuration(tmp_path / "house", {})
    error = run(version, [*views(source), copy], submit_options(settings, str(other)), tmp_path)
    assert f"compiled for Spark {other.spark} with Scala {other.scala}" in error
    assert f"Use the jar provhouse-capture_{version}" in error
    assert not target.exists()


@pytest.mark.parametrize("version", VERSIONS, ids=str)
def test_each_version_has_the_same_classes_each_in_its_newest_form(version: SparkVersion) -> None:
    found = {file.name: file for file in java_sources(CODE, version)}
    assert sorted(found) == sorted(file.name for file in java_sources(CODE, own_version()))
    forms = (CODE / "java" / "versions").glob("[0-9]*/**/RunningStream.java")
    fitting_forms = [file for file in forms if layer(file) <= version.spark]
    assert found["RunningStream.java"] == max(fitting_forms, key=layer)


def layer(file: Path) -> str:
    """Return the version whose folder contains the given class."""
    return file.relative_to(CODE / "java" / "versions").parts[0]


def test_a_version_can_be_named_without_scala() -> None:
    assert named("3.5") == SparkVersion("3.5", "2.12")
    assert named("3.5_2.13") == SparkVersion("3.5", "2.13")
    assert named("4.0") == SparkVersion("4.0")
    with pytest.raises(UsageError, match=r"Spark 3\.4"):
        named("3.4")


@pytest.mark.parametrize("version", VERSIONS, ids=str)
def test_each_version_is_found_by_its_full_number(version: SparkVersion) -> None:
    assert fitting(f"{version.spark}.7", f"{version.scala}.18", "21") == version


@pytest.mark.parametrize(
    ("numbers", "named"),
    [
        (("3.4.4", "2.12.18", "17"), "Spark 3.4.4 with Scala 2.12.18"),
        (("4.0.1", "2.12.18", "17"), "Spark 4.0.1 with Scala 2.12.18"),
        (("4.30.0", "2.13.18", "17"), "Spark 4.30.0"),
        (("3.5.9", "2.12.18", "11"), "on Java 11"),
        (("3.5.9", "2.12.18", "1.8"), "on Java 1.8"),
    ],
)
def test_a_spark_without_a_jar_is_refused_by_name(
    numbers: tuple[str, str, str], named: str
) -> None:
    with pytest.raises(UsageError) as refused:
        fitting(*numbers)
    assert named in str(refused.value)
