"""The whole ingest of the paper's trace, from CSV files to the first answer: `make bench-ingest`.

The command is run as a user runs it. After the first load it appends twice 10,000 triples, asks the
first question, and compares the answer with the trace itself. What was measured goes to
`results/ingest.json`, by number of copies.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from machine import machine, packages
from paper_trace import paper
from trace_files import Trace, names, write

from provhouse.model.arrays import I64
from provhouse.model.columns import DST, OP, SRC

RESULTS = Path(__file__).parent / "results" / "ingest.json"
PROGRAM = Path(sys.executable).with_name("provhouse")
SEED = 5
APPENDED = 10_000


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="work there and leave it, else in a temporary")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="provhouse-bench-") as temporary:
        measured = run(given.folder or Path(temporary), given.copies)
    held = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    held[str(given.copies)] = measured
    RESULTS.write_text(json.dumps(held, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    print(json.dumps(measured, indent=2))


def run(folder: Path, copies: int) -> dict[str, Any]:
    """Make the trace, take it in, append, ask."""
    trace = paper(SEED)
    files = folder / "trace"
    if not files.exists():
        write(trace, files, copies)
    command = Command(folder / "warehouse")
    load = os.getloadavg()[0]
    first = command.json("ingest", files)
    result = {
        "date": datetime.now(UTC).date().isoformat(),
        "load": round(load, 2),
        "machine": machine(),
        "versions": packages("pyspark", "pyarrow", "numba", "provhouse"),
        "csv_bytes": size(files),
        "ingest": first,
        "bytes": {part: size(command.warehouse / where) for part, where in PARTS.items()},
        "first_answer": asked(command, trace, np.random.default_rng(SEED)),
    }
    rng = np.random.default_rng(SEED)
    for name, rows in (("large", into_large(trace, rng)), ("small", into_small())):
        file = append_file(folder / f"{name}.csv", rows)
        result[f"append_{name}"] = command.json("ingest", file)
    return result


PARTS = {
    "all": ".",
    "names": "base-1/names",
    "triples": "base-1/triples",
    "neo4j": "neo4j",
    "neo4j_log": "neo4j/data/transactions",
}


class Command:
    """The command line on one warehouse."""

    def __init__(self, warehouse: Path) -> None:
        self.warehouse = warehouse

    def json(self, *arguments: object) -> dict[str, Any]:
        """What a command prints as JSON, and how long it took as a whole."""
        begun = perf_counter()
        done = subprocess.run(
            [PROGRAM, "--warehouse", self.warehouse, *map(str, arguments), "--format", "json"],
            stdout=subprocess.PIPE,
            check=True,
        )
        found: dict[str, Any] = json.loads(done.stdout)
        return {**found, "wall_seconds": round(perf_counter() - begun, 2)}


def size(folder: Path) -> int:
    """The bytes of all files below."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def asked(command: Command, trace: Trace, rng: np.random.Generator) -> dict[str, Any]:
    """The lineage of one item, cold; it must be what the trace says."""
    item = int(rng.choice(trace.dst))
    answer = command.json("lineage", names(trace, 1, np.array([item], np.int32))[0].as_py())
    if len(answer["items"]) != len(upstream(trace, item)):
        raise SystemExit(f"the lineage of item {item} is wrong")
    kept = ("read", "seconds", "wall_seconds", "method")
    return {"items": len(answer["items"]), **{name: answer[name] for name in kept}}


def upstream(trace: Trace, item: int) -> set[int]:
    """The items that one is derived from, step by step."""
    found: set[int] = set()
    near = np.array([item])
    while len(near):
        near = np.setdiff1d(trace.src[np.isin(trace.dst, near)], [*found])
        found.update(near.tolist())
    return found


def into_large(trace: Trace, rng: np.random.Generator) -> Iterable[tuple[str, str]]:
    """Half hang a new item on one of the large components, half connect two of its items."""
    count = np.bincount(trace.document, minlength=len(trace.documents))
    of_document = np.argsort(-count)[0]
    among = np.flatnonzero(trace.document == of_document)
    one, other = np.sort(rng.choice(among, (2, APPENDED // 2)), axis=0)
    old, to = texts(trace, one), texts(trace, other)
    yield from zip(old, (f"new/{number}" for number in range(len(old))), strict=True)
    yield from zip(old, to, strict=True)


def texts(trace: Trace, items: I64) -> list[str]:
    """The names of items of the first copy."""
    found: list[str] = names(trace, 1, items.astype(np.int32)).to_pylist()
    return found


def into_small() -> Iterable[tuple[str, str]]:
    """New components of two items."""
    return ((f"fresh/{number}/a", f"fresh/{number}/b") for number in range(APPENDED))


def append_file(path: Path, rows: Iterable[tuple[str, str]]) -> Path:
    """A file of triples."""
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow((SRC, DST, OP))
        writer.writerows((*row, "append") for row in rows)
    return path


if __name__ == "__main__":
    main()
