"""Commands need a limited amount of memory even for very large input."""

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from helpers.command import Command

pytestmark = pytest.mark.long

PEAK_MB = 4_096
"""The memory limit, in MB, for all processes together.

Spark may take 2 GB of it, and Neo4j 1 GB.
"""
PARENTS = 1_000_000


def written(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)
    return path


def ingested(command: Command, file: Path) -> dict[str, int]:
    """Ingest a file with all processes under the memory limit, and return the result."""
    told: dict[str, int] = json.loads(command("ingest", file, "--format", "json").out)
    assert told["peak_memory_mb"] < PEAK_MB
    return told


def test_an_item_has_a_million_parents(fresh: Command, tmp_path: Path) -> None:
    rows = ((f"parent/{n:07d}", "child", "sum") for n in range(PARENTS))
    told = ingested(fresh, written(tmp_path / "wide.csv", ("src", "dst", "op"), rows))
    assert (told["triples"], told["items"]) == (PARENTS, PARENTS + 1)
    out = tmp_path / "answer.jsonl"
    fresh("lineage", "child", "--format", "jsonl", "--out", out)
    with out.open(encoding="utf-8") as lines:
        head = json.loads(next(lines))["answer"]
        assert head["complete"]
        names = [json.loads(line)["item"] for _, line in zip(range(PARENTS), lines, strict=False)]
        assert names == [f"parent/{n:07d}" for n in range(PARENTS)]
        first = json.loads(next(lines))
        assert first == {"src": "parent/0000000", "dst": "child", "op": "sum", "attributes": {}}
        assert sum(1 for _ in lines) == PARENTS - 1


def test_names_are_very_long(fresh: Command, tmp_path: Path) -> None:
    long = "x" * (64 << 10)
    rows = ((f"{n}/{long}", f"{n + 1}/{long}") for n in range(5_000))
    told = ingested(fresh, written(tmp_path / "long.csv", ("src", "dst"), rows))
    assert (told["triples"], told["items"]) == (5_000, 5_001)
    assert len(json.loads(fresh("lineage", f"9/{long}", "--format", "json").out)["items"]) == 9


def test_triples_have_many_attributes(fresh: Command, tmp_path: Path) -> None:
    columns = [f"attribute {n}" for n in range(100)]
    rows = ((f"s{n}", f"d{n}", *(n * m for m in range(100))) for n in range(100_000))
    told = ingested(fresh, written(tmp_path / "wide.csv", ("src", "dst", *columns), rows))
    assert told["triples"] == 100_000
    answer = json.loads(fresh("lineage", "d7", "--format", "json").out)
    assert answer["triples"][0]["attributes"] == {c: str(7 * n) for n, c in enumerate(columns)}


def test_ten_million_rows_are_rejected(fresh: Command, tmp_path: Path) -> None:
    rows = (("", f"d{n}") for n in range(10_000_000))
    file = written(tmp_path / "bad.csv", ("src", "dst"), rows)
    with file.open("a", encoding="utf-8") as more:
        more.write("a,b\n")
    told = ingested(fresh, file)
    assert (told["triples"], told["rejected"]) == (1, 10_000_000)
