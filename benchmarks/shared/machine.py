"""Describe the machine and the program versions of a benchmark, without personal data."""

import os
import platform
import re
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import psutil
import requests

from benchmarks.shared.results import Machine, Record, Run
from provhouse.runtime.processes import usable_cores


def mean_load() -> float:
    """Return the machine's mean load over the last minute."""
    return round(os.getloadavg()[0], 2)


def run(load: float, versions: dict[str, str]) -> Run:
    """Return the fields that the results of most benchmarks share.

    ``load`` is the machine's mean load before the benchmark began.
    """
    return {**record(), "load": load, "versions": versions}


def record() -> Record:
    """Return today's date and a description of this machine."""
    return {"date": datetime.now(UTC).date().isoformat(), "machine": machine()}


def machine() -> Machine:
    """Return the processor, the number of usable cores, and the memory."""
    return {
        "cpu": _cpu(),
        "cores": usable_cores(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30),
    }


def versions(neo4j: str) -> dict[str, str]:
    """Return the versions of provhouse, Spark and the Neo4j server at the address ``neo4j``."""
    return {
        **packages("pyspark", "provhouse"),
        "neo4j": str(requests.get(neo4j, timeout=10).json()["neo4j_version"]),
    }


def packages(*names: str) -> dict[str, str]:
    """Return the versions of Python and of these packages."""
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def status(field: str, process: psutil.Process) -> int:
    """Return a field of a process's status in megabytes; 0 if the process has no memory."""
    text = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    found = re.search(rf"^{field}:\s+(\d+) kB", text, re.MULTILINE)
    return round(int(found[1]) / 1000) if found else 0


def _cpu() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())  # ARM has no model name
