"""Check a captured query's lineage, and record the outcome for the page about coverage."""

import hashlib
import json
import shutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from pyspark.errors import ArithmeticException
from pyspark.sql import SparkSession

from helpers.witnesses import Found, Program, Row, Witnesses, again, captured, read, rows_of
from provhouse.model.errors import UsageError

ROOT = Path(__file__).parent.parent.parent
LONG = ROOT / ".long"
CODE = (ROOT / "capturing", ROOT / "ingest" / "landing")
MOST_WITNESSES, DROPPED_ROWS = 8, 3
"""Limits for leaving out single witnesses.

For each query, single witnesses are left out for up to ``DROPPED_ROWS`` rows, each with at most
``MOST_WITNESSES`` witnesses.
"""


@dataclass(frozen=True)
class Trial:
    """A query to try: a program on the tables in a folder, and the record of the tried rows."""

    name: str
    program: Program
    spark: SparkSession
    source: Path
    folder: Path
    """A folder for all files that the trial writes."""
    whole: Collection[str] = ()
    """Tables that stay uncut, because the query asks which rows they lack."""
    record: str = ""
    """The name of the record of rows tried, such as ``tpch-0.01``. If empty, none is recorded."""

    def again(self, witnesses: Witnesses, folder: str) -> list[Row]:
        """Run the query on tables cut to witnesses. If it divides by zero, return no rows."""
        place = self.folder / folder
        try:
            return again(self.spark, self.program, self.source, witnesses, place, self.whole)
        except ArithmeticException:
            return []
        finally:
            shutil.rmtree(place)


def outcome(trial: Trial, rows: int) -> dict[str, object]:
    """Capture and check a query on the tables in a folder; return its entry for the page.

    ``rows`` is the number of result rows to reproduce from tables cut to their witnesses. If the
    trial has a record, each witness of a few rows with few witnesses is also left out once, and
    recorded rows are not tried again.
    """
    program, spark, source = trial.program, trial.spark, trial.source
    plain = rows_of(program(read(spark, source)))
    started = perf_counter()
    try:
        found = captured(spark, program(read(spark, source)), trial.folder / "captured")
    except UsageError as error:
        return {"query": trial.name, "outcome": "refused", "why": error.wanted}
    seconds = perf_counter() - started
    assert sorted(map(str, found.rows)) == sorted(map(str, plain))
    tried = sorted({round(at * (len(plain) - 1) / max(rows - 1, 1)) for at in range(rows)})
    tried = tried if plain else []
    done = recorded_rows(trial)
    for row in tried:
        if _digest(found.rows[row]) not in done:
            cut = trial.again(found.witnesses(row), f"cut-{row}")
            assert found.rows[row] in cut, f"row {row} of {trial.name} is not among {cut[:5]}"
            _add_row(trial, found.rows[row])
    dropped, unneeded = _drop_one(trial, found, tried if trial.record else ())
    result = "superset" if found.supersets else "exact"
    return {
        "query": trial.name,
        "outcome": result if tried else "untested",
        "why": ", ".join(sorted(found.supersets)),
        "absence": found.traced.output.write.absence,
        "rows": len(plain),
        "tried": len(tried),
        "dropped": dropped,
        "unneeded": unneeded,
        "taps": len(found.traced.output.write.taps),
        "seconds": round(seconds, 2),
    }


def _drop_one(trial: Trial, found: Found, rows: Collection[int]) -> tuple[int, int]:
    """Leave out each witness of a few rows, one at a time.

    Return the number of witnesses left out, and how many of them left the row unchanged. A row may
    stay unchanged without a witness if other witnesses have the same effect, as in a semi join, or
    if the value of the witness changes nothing, as in a maximum. Rows that were only joined and
    counted need every witness.
    """
    small = [(row, sorted(_each(found.witnesses(row), trial.whole))) for row in rows]
    small = [(row, each) for row, each in small if 1 < len(each) <= MOST_WITNESSES]
    dropped = unneeded = 0
    for row, each in small[:DROPPED_ROWS]:
        for at, (table, path, index) in enumerate(each):
            left = found.witnesses(row)
            left[table][path].remove(index)
            kept = found.rows[row] in trial.again(left, f"drop-{row}-{at}")
            assert not kept or _has_alternatives(found), (
                f"row {row} of {trial.name} does not need row {index} of {path}"
            )
            dropped, unneeded = dropped + 1, unneeded + kept
    return dropped, unneeded


def _each(witnesses: Witnesses, whole: Collection[str]) -> Iterator[tuple[str, Path, int]]:
    for table, files in witnesses.items():
        if table not in whole:
            yield from ((table, path, row) for path, rows in files.items() for row in rows)


def _has_alternatives(found: Found) -> bool:
    """Return whether an operator's rows can stay the same without one of their witnesses."""
    taps = found.traced.output.write.taps
    return any(tap.kind != "aggregate" or tap.function != "count" for tap in taps)


def recorded_rows(trial: Trial) -> set[str]:
    """Return the digests of the query's rows that this version of the code has tried."""
    path = LONG / f"rows-{trial.record}.jsonl"
    if not trial.record or not path.exists():
        return set()
    found = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    here = [trial.name, _code()]
    return {each["row"] for each in found if [each["query"], each["code"]] == here}


def _add_row(trial: Trial, row: Row) -> None:
    if trial.record:
        LONG.mkdir(exist_ok=True)
        line = {"query": trial.name, "code": _code(), "row": _digest(row)}
        with (LONG / f"rows-{trial.record}.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def _digest(row: Row) -> str:
    return hashlib.sha256(str(row).encode()).hexdigest()[:16]


def add(suite: str, found: dict[str, object]) -> None:
    """Add an outcome to the record of a suite, with the version of the code that captured it."""
    LONG.mkdir(exist_ok=True)
    with _record(suite).open("a", encoding="utf-8") as file:
        file.write(json.dumps({**found, "code": _code()}) + "\n")


def recorded(suite: str) -> set[str]:
    """Return the names of the queries whose outcomes this version of the code has recorded."""
    path = _record(suite)
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    found = map(json.loads, lines)
    return {each["query"] for each in found if each.get("code") == _code()}


def _code() -> str:
    """Return a digest of all code that captures lineage or follows it."""
    digest = hashlib.sha256()
    for folder in CODE:
        for path in sorted(file for file in folder.rglob("*") if file.suffix in (".py", ".java")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _record(suite: str) -> Path:
    return LONG / f"coverage-{suite}.jsonl"
