"""What a benchmark ran on: enough to judge its figures, nothing that tells whose machine it is."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

import psutil
import requests
from form import Machine


def machine() -> Machine:
    """Processor, cores that may be used, and memory."""
    return {
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(psutil.virtual_memory().total / 2**30),
    }


def versions(neo4j: str) -> dict[str, str]:
    """The programs that take part; ``neo4j`` is the server's address for HTTP."""
    return {
        "python": platform.python_version(),
        "pyspark": version("pyspark"),
        "neo4j": str(requests.get(neo4j, timeout=10).json()["neo4j_version"]),
        "provhouse": version("provhouse"),
    }


def _cpu() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())  # ARM names none
