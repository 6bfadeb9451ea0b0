"""Run provhouse's command line on one warehouse, and measure sizes on disk."""

import json
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Any, TypedDict, cast

PROGRAM = Path(sys.executable).with_name("provhouse")


class Ingested(TypedDict):
    """The figures of one ingest.

    ``seconds`` has the time of each step, and of all steps as ``total``. ``wall_seconds`` is the
    time of the complete command.
    """

    triples: int
    items: int
    sets: int
    set_dependencies: int
    duplicates: int
    seconds: dict[str, float]
    wall_seconds: float
    peak_memory_mb: int


class Command:
    """The command line of provhouse, applied to one warehouse."""

    def __init__(self, warehouse: Path | str) -> None:
        self.warehouse = warehouse

    def ingest(self, files: Path) -> Ingested:
        """Ingest a file or folder, and return the figures that the command reports."""
        found = self.json("ingest", files)
        return cast(Ingested, {name: found[name] for name in Ingested.__annotations__})

    def run(self, *arguments: object) -> bytes:
        """Run a command, and return what it prints to standard output."""
        program = [str(PROGRAM), "--warehouse", str(self.warehouse), *map(str, arguments)]
        return subprocess.run(program, stdout=subprocess.PIPE, check=True).stdout

    def json(self, *arguments: object) -> dict[str, Any]:
        """Return the JSON that a command prints, with its time as ``wall_seconds``."""
        begun = perf_counter()
        found: dict[str, Any] = json.loads(self.run(*arguments, "--format", "json"))
        return {**found, "wall_seconds": round(perf_counter() - begun, 3)}


def size(path: Path) -> int:
    """Return the size in bytes of a file, or of all files below a folder together."""
    return sum(file.stat().st_size for file in (path, *path.rglob("*")) if file.is_file())
