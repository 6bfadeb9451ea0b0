"""Measure ingests of seven rows, from Enter to the end, with a server and without one.

`make bench-seven` runs this benchmark. Each ingest is a process of its own, and adds new rows to
one warehouse in a temporary folder. Results go to `results/seven.json`.
"""

from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.server.serve import served
from benchmarks.shared.command import Command
from benchmarks.shared.machine import mean_load, packages
from benchmarks.shared.machine import run as recorded
from benchmarks.shared.results import ResultsFile, Run
from provhouse.model.settings import Settings

RUNS = 5
MOST = {"with the server": 4.0, "without the server": 10.0}
"""The targets in seconds."""


class Results(Run):
    """The seconds of each ingest, in order; the first without the server makes the warehouse."""

    seconds: dict[str, list[float]]


RESULTS: ResultsFile[Results] = ResultsFile("seven.json")


def main() -> None:
    """Run from the command line."""
    load = mean_load()
    with TemporaryDirectory(prefix="provhouse-bench-") as folder:
        without = [ingest(Path(folder), f"without-{run}") for run in range(RUNS)]
        settings = Settings.load({"warehouse": f"{folder}/warehouse"})
        with served(replace(settings, hot_mb=0)):
            warm = [ingest(Path(folder), f"with-{run}") for run in range(RUNS)]
    seconds = {"with the server": warm, "without the server": without}
    for name, each in seconds.items():
        print(f"{name}: median {median(each):.1f} s of {each}, target {MOST[name]:g} s")
    RESULTS.write({**recorded(load, packages("pyspark", "neo4j", "provhouse")), "seconds": seconds})


def ingest(folder: Path, name: str) -> float:
    """Ingest seven new rows with the command; return the seconds that this took."""
    file = folder / f"{name}.csv"
    rows = "".join(f"{name}/{row},{name}/{row + 1},copy\n" for row in range(7))
    file.write_text(f"src,dst,op\n{rows}")
    seconds: float = Command(folder / "warehouse").json("ingest", file)["wall_seconds"]
    return round(seconds, 2)


if __name__ == "__main__":
    main()
