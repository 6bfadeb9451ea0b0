"""Run programs on a cluster and compare their answers with an oracle."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks import ROOT
from benchmarks.cluster.scenario_process import Result
from benchmarks.cluster.scenarios import DIRECTIONS, METHODS, fingerprint
from benchmarks.cluster.spark_cluster import Cluster
from helpers.oracle import Oracle, Triple
from provhouse.model.question import Method
from provhouse.runtime.java import java

HELPERS = Path(__file__).parent


def write(triples: Sequence[Triple], path: Path) -> str:
    """Write triples to a CSV file; return its path."""
    path.write_text("\n".join(",".join(row) for row in [Triple._fields, *triples]))
    return str(path)


def expected(triples: Sequence[Triple], items: Sequence[str]) -> list[str]:
    """Return the fingerprints of the correct answers, in the format that ``cluster_run`` prints."""
    oracle = Oracle.of(triples)
    answers = [oracle.ask(item, direction) for item in items for direction in DIRECTIONS]
    return [fingerprint(answer.items, answer.triples) for answer in answers]


def check(
    results: Mapping[str, Result],
    when: str,
    right: Sequence[str],
    methods: Sequence[Method] = METHODS,
) -> None:
    """Compare the answers of the given methods with the correct answers."""
    for method in methods:
        assert results[f"{method}{when}"].value == right, (method, when)


def run_program(
    name: str, cluster: Cluster | None, *arguments: object, conf: Path | None = None
) -> str:
    """Run a program of ``helpers`` with its own Spark session; return its output.

    ``conf`` is the folder with Spark's defaults. If the program fails, fail with its errors.
    """
    done = subprocess.run(
        [sys.executable, HELPERS / name, *map(str, arguments)],
        env=_environment(cluster, conf),
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextmanager
def started_program(name: str, *arguments: object, conf: Path) -> "Iterator[subprocess.Popen[str]]":
    """Start a program of ``helpers``, and end it by the end of its input."""
    with subprocess.Popen(
        [sys.executable, HELPERS / name, *map(str, arguments)],
        env=_environment(None, conf),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.communicate(timeout=300)


def _environment(cluster: Cluster | None, conf: Path | None) -> dict[str, str]:
    return {
        **{key: value for key, value in os.environ.items() if not key.startswith("SPARK_")},
        "JAVA_HOME": str(java().parent.parent),
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": f"{HELPERS.parent}:{ROOT}",
        "SPARK_LOCAL_IP": cluster.driver if cluster else "127.0.0.1",
        **({"SPARK_CONF_DIR": str(conf)} if conf else {}),
    }
