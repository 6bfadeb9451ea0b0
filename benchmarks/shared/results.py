"""The types that the results of several benchmarks share, and the files that store results."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypedDict, TypeVar, cast

from benchmarks import ROOT

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
        """Write the results to the file, or instead to the file ``elsewhere``, if it is given."""
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
