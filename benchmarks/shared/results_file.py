"""Results of benchmarks: their files, the types that they share, and the machine that ran them."""

import hashlib
import json
import os
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Generic, TypedDict, TypeVar, cast

import psutil
import requests

from benchmarks import ROOT
from provhouse.runtime.processes import usable_cores

FOLDER = ROOT / "benchmarks" / "results"
Content = TypeVar("Content")


@dataclass(frozen=True)
class ResultsFile(Generic[Content]):
    """A JSON file in the folder ``results``. Tables in the documentation are generated from it."""

    name: str

    @property
    def path(self) -> Path:
        """The full path of the file."""
        return FOLDER / self.name

    def read(self, missing: Content | None = None) -> Content:
        """Return the results of the last run, or ``missing`` (if given) if there is no file."""
        if missing is not None and not self.path.exists():
            return missing
        return cast(Content, json.loads(self.path.read_text(encoding="utf-8")))

    def write(self, results: Content, elsewhere: Path | None = None) -> None:
        """Write the results to the file, or to ``elsewhere`` instead if it is given."""
        text = json.dumps(results, indent=1) + "\n"
        (elsewhere or self.path).write_text(text, encoding="utf-8")


class Machine(TypedDict):
    """The machine on which a benchmark ran."""

    cpu: str
    cores: int
    memory_gib: int


class Record(TypedDict):
    """The day on which results were written, and the machine that wrote them."""

    date: str
    machine: Machine


class Run(Record):
    """One run of a benchmark. ``load`` is the machine's mean load in the minute before the run."""

    load: float
    versions: dict[str, str]


class SeededRun(Run):
    """One run of a benchmark that draws at random from a seed."""

    seed: int


class Spread(TypedDict):
    """The median and the largest of several measurements."""

    median: float
    max: float


class Percentiles(TypedDict):
    """The 50th percentile (the median) and the 95th percentile of several times in seconds."""

    p50: float
    p95: float


class Totals(TypedDict):
    """The numbers of triples, items, components, sets and set dependencies in a warehouse."""

    triples: int
    items: int
    components: int
    sets: int
    set_dependencies: int


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


Fields = TypeVar("Fields", bound=Mapping[str, object])
_VARYING = {"date", "load"}
"""Fields of a run that differ from day to day."""


def code(*folders: str) -> str:
    """Return a digest of the code in some folders of the repository."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".java"):
                digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def continued(before: Fields | None, new: Fields) -> Fields:
    """Return the earlier results if their settings equal those of the new run, else ``new``.

    Fields with lists are measurements; all other fields, except the date and the load, are
    settings.
    """
    if before is None:
        return new
    settings = (
        name for name, value in new.items() if name not in _VARYING and not isinstance(value, list)
    )
    return before if all(before.get(name) == new[name] for name in settings) else new
