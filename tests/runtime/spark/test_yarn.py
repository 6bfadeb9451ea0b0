"""YARN gives the same answers as one machine, a standalone cluster, and networkx."""

import csv
import random
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.cluster.scenario_process import LOOPBACK, Result, run
from benchmarks.cluster.scenarios import Scenario
from benchmarks.cluster.spark_cluster import Cluster
from benchmarks.traces.shapes import SHAPES
from benchmarks.traces.trace_files import write as write_trace
from helpers.cluster import check, expected, run_program, started_program, write
from helpers.oracle import Oracle, Triple
from helpers.pages import blocks, shell
from helpers.yarn import PROPERTIES, Yarn, yarn
from provhouse.capturing.jar import spark_jars

pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]
SHOWN = Path(__file__).parent.parent.parent.parent
ITEMS = 900
TRACES = ("pipelines", "cyclic", "merkle", "zipf")
OWN = ("executors", "driver")
"""Steps whose results differ: the executors' folders, and the driver's peak memory."""


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Yarn]:
    """A running YARN, which the environment names."""
    with (
        yarn(tmp_path_factory.mktemp("yarn") / "cluster") as started,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("HADOOP_CONF_DIR", str(started.conf))
        yield started


def triples_of(name: str, folder: Path) -> list[Triple]:
    """Return the distinct triples of a generated trace."""
    (file,) = write_trace(SHAPES[name](ITEMS, 1), folder)
    with file.open(encoding="utf-8", newline="") as rows:
        return [*dict.fromkeys(Triple(**row) for row in csv.DictReader(rows))]


def test_one_machine_a_cluster_and_yarn_give_the_same_answers(
    running: Yarn, tmp_path: Path, graph_home: Path
) -> None:
    """Each trace is an ingest into one warehouse; then an item is retracted."""
    shared = tmp_path / "shared"
    shared.mkdir()
    traces = {name: triples_of(name, tmp_path / name) for name in TRACES}
    files = [write(each, shared / f"{name}.csv") for name, each in traces.items()]
    triples = [*dict.fromkeys(row for each in traces.values() for row in each)]
    gone = traces[TRACES[0]][ITEMS // 2].src
    left = [row for row in triples if gone not in (row.src, row.dst)]
    stay = {end for row in left for end in row[:2]}
    chosen = random.Random(1)
    items = [
        chosen.choice([row.dst for row in each if row.dst in stay]) for each in traces.values()
    ]

    def results(kind: str, master: str, address: str = LOOPBACK, **given: Any) -> dict[str, Result]:
        settings = {
            "warehouse": str(shared / kind),
            "neo4j_home": str(graph_home),
            "master": master,
            "spark_memory": "512m",
            "theta": 20,
            "partition_triples": 100,
            "hot_mb": 0,
        }
        asked = Scenario(settings, files, items, gone)
        found = run(asked, tmp_path / kind, address=address, **given)
        check(found, "", expected(triples, items))
        check(found, " after the retraction", expected(left, items))
        return found

    runs = [results("yarn", "yarn", properties=PROPERTIES), results("local", "local[2]")]
    with Cluster(tmp_path / "workers", [shared, SHOWN]) as cluster:
        runs.append(results("standalone", cluster.master, cluster.driver))
    compared = [
        {step: found.value for step, found in each.items() if step not in OWN} for each in runs
    ]
    assert compared[0] == compared[1] == compared[2]
    for folder, *_ in runs[0]["executors"].value:
        assert Path(folder).name.startswith("container_")
    assert {*running.applications().values()} == {"SUCCEEDED"}


def spark_conf(folder: Path) -> Path:
    """Make a folder with Spark's defaults for programs that run on YARN."""
    folder.mkdir()
    rows = (f"{name} {value}\n" for name, value in PROPERTIES.items())
    (folder / "spark-defaults.conf").write_text("".join(rows))
    return folder


@pytest.mark.parametrize("what", ["failures", "lost executors"])
def test_a_captured_job_on_yarn_has_exactly_the_lineage_of_its_rows(
    running: Yarn, tmp_path: Path, graph_home: Path, what: str
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    conf = spark_conf(tmp_path / "conf")
    run_program("failing_program.py", None, what, shared, graph_home, "yarn", "", conf=conf)


def test_a_full_queue_is_an_error(running: Yarn, tmp_path: Path) -> None:
    conf = spark_conf(tmp_path / "conf")
    with started_program("late_start.py", "occupy", conf=conf) as process:
        assert process.stdout
        assert process.stdout.readline() == "started\n"
        run_program("late_start.py", None, "wait", tmp_path, conf=conf)


def test_the_commands_of_the_page(
    running: Yarn, tmp_path: Path, graph_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commands of cluster.md run as typed, with the paths of this machine."""
    (typed,) = blocks("cluster.md", "sh")
    places = {
        "/etc/hadoop/conf": running.conf,
        "/mnt/shared": tmp_path,
        "/var/lib/provhouse/neo4j": shlex.quote(str(graph_home)),
        "/opt/provhouse/lib/python3.13/site-packages/pyspark/jars": spark_jars(),
        "examples/first": SHOWN / "examples" / "first",
    }
    for typed_place, here in places.items():
        assert typed.count(typed_place) == 1
        typed = typed.replace(typed_place, str(here))
    monkeypatch.chdir(tmp_path)
    before = running.applications()
    answer = shell(typed).partition("item,table,depth\n")[2]
    found = {(row.split(",")[0], int(row.split(",")[2])) for row in answer.split()}
    with (SHOWN / "examples" / "first" / "orders.csv").open(encoding="utf-8") as rows:
        triples = [Triple(*(row[name] for name in Triple._fields)) for row in csv.DictReader(rows)]
    assert found == Oracle.of(triples).ask("revenue/2026-03", "upstream").items
    assert running.applications().keys() - before.keys()
