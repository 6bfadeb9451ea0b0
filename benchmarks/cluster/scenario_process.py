"""Run a scenario of ``cluster_run`` in a process of its own, and collect its results."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import ROOT
from benchmarks.cluster import scenarios as cluster_run
from benchmarks.cluster.scenarios import Scenario

LOOPBACK = "127.0.0.1"
PROPERTIES = {"spark.executor.memory": "512m"}


class Result(NamedTuple):
    """The result of a step, and its seconds."""

    value: Any
    seconds: float


def run(
    scenario: Scenario,
    folder: Path,
    on: Callable[[str], None] = lambda _: None,
    address: str = LOOPBACK,
    properties: Mapping[str, str] = PROPERTIES,
) -> dict[str, Result]:
    """Run a scenario; return the results by step. Raises RuntimeError if it fails.

    ``on`` is called with the name of each step, and the step begins when ``on`` returns. In the
    steps of ``scenario.lose``, when a task runs on a host, ``on`` is also called with
    ``cluster_run.HELD`` followed by the name of the host. Executors find the driver at ``address``.
    ``properties`` are Spark's defaults.
    """
    conf = folder / "conf"
    conf.mkdir(exist_ok=True, parents=True)
    rows = (f"{name} {value}\n" for name, value in properties.items())
    (conf / "spark-defaults.conf").write_text("".join(rows))
    path = folder / "scenario.json"
    path.write_text(json.dumps(asdict(scenario)))
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "SPARK_CONF_DIR": str(conf),
        "SPARK_LOCAL_IP": address,
    }
    results: dict[str, Result] = {}
    with (
        (folder / "errors").open("w+") as errors,
        subprocess.Popen(
            [sys.executable, "-m", cluster_run.__name__, path],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        assert process.stdin
        assert process.stdout
        for line in process.stdout:
            said = json.loads(line)
            if "begin" in said:
                on(said["begin"])
                process.stdin.write("\n")
                process.stdin.flush()
            elif "happens" in said:
                on(said["happens"])
            else:
                results[said["step"]] = Result(said["result"], said["seconds"])
        if process.wait():
            errors.seek(0)
            raise RuntimeError(errors.read())
    return results
