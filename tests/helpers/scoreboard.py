"""Check the lineage of a captured query, and record what the page about coverage says of it."""

import hashlib
import json
from collections.abc import Collection
from pathlib import Path
from time import perf_counter

from pyspark.sql import SparkSession

from helpers.witnesses import Program, again, captured, read, rows_of
from provhouse.model.errors import UsageError

ROOT = Path(__file__).parent.parent.parent
LONG = ROOT / ".long"
CODE = (ROOT / "capturing", ROOT / "ingest" / "captured")


def outcome(
    name: str,
    program: Program,
    spark: SparkSession,
    source: Path,
    folder: Path,
    rows: int,
    whole: Collection[str] = (),
) -> dict[str, object]:
    """Capture a query on the tables of a folder and check it; return what the page says of it.

    ``rows`` is the number of rows that are tried on tables cut to their witnesses. Tables in
    ``whole`` stay whole, because the query asks which rows they lack.
    """
    plain = rows_of(program(read(spark, source)))
    started = perf_counter()
    try:
        found = captured(spark, program(read(spark, source)), folder / "captured")
    except UsageError as error:
        return {"query": name, "outcome": "refused", "why": error.wanted}
    seconds = perf_counter() - started
    assert sorted(map(str, found.rows)) == sorted(map(str, plain))
    tried = sorted({round(at * (len(plain) - 1) / max(rows - 1, 1)) for at in range(rows)})
    tried = tried if plain else []
    for row in tried:
        cut = again(spark, program, source, found.witnesses(row), folder / f"cut-{row}", whole)
        assert found.rows[row] in cut, f"row {row} of {name} is not among {cut[:5]}"
    result = "superset" if found.supersets else "exact"
    return {
        "query": name,
        "outcome": result if tried else "untested",
        "why": ", ".join(sorted(found.supersets)),
        "absence": found.traced.output.write.absence,
        "rows": len(plain),
        "tried": len(tried),
        "taps": len(found.traced.output.write.taps),
        "seconds": round(seconds, 2),
    }


def begin(suite: str) -> None:
    """Begin an empty record of a suite of queries."""
    LONG.mkdir(exist_ok=True)
    _record(suite).write_text("", encoding="utf-8")


def add(suite: str, found: dict[str, object]) -> None:
    """Add an outcome to the record of a suite, with the version of the code that captured."""
    with _record(suite).open("a", encoding="utf-8") as file:
        file.write(json.dumps({**found, "code": _code()}) + "\n")


def recorded(suite: str) -> set[str]:
    """Return the names of the queries that this version of the code has recorded."""
    path = _record(suite)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found = map(json.loads, lines)
    return {each["query"] for each in found if each.get("code") == _code()}


def _code() -> str:
    """Return a digest of all code that captures lineage and follows it."""
    digest = hashlib.sha256()
    for folder in CODE:
        for path in sorted(file for file in folder.rglob("*") if file.suffix in (".py", ".java")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _record(suite: str) -> Path:
    return LONG / f"coverage-{suite}.jsonl"
