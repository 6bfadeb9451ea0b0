"""Replays of programs of RDDs without one record, beside runs of plain Spark without it."""

from collections import Counter
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from benchmarks.capture.programs_data import generate
from benchmarks.tracing.form import Again
from benchmarks.tracing.programs import captured, on_texts, remove_captured
from benchmarks.tracing.walks import compared, first, one
from provhouse.tracing.cursor import Cursor

SIZE = 0.25
"""The gigabytes of each text."""
RERUN = ("grep", "word count", "L3")
"""A filter, an aggregate, and a join with an aggregate."""


def rerun_programs(
    spark: SparkSession,
    folder: Path,
    repeats: int,
    found: list[Again],
    store: Callable[[list[Any], Any], None],
) -> None:
    """Measure the replays that are missing."""
    known = {each["query"] for each in found}
    missing = [program for program in RERUN if _name(program) not in known]
    if not missing:
        return
    generate(folder / "rerun" / "programs", SIZE)
    for program in missing:
        store(found, _rerun(spark, folder / "rerun", program, repeats))


def _name(program: str) -> str:
    return f"{program}, RDD"


def _rerun(spark: SparkSession, folder: Path, program: str, repeats: int) -> Again:
    every, data = captured(spark, folder, program, "RDD"), folder / "programs"
    row = first(one(every).go_back_all(), 1)
    less = on_texts(program, _without(row, data, folder / f"without a record of {program}"))

    def replay() -> Any:
        return row.left_out(on_texts(program, data))

    def reduced() -> Any:
        return less(spark.sparkContext)

    times = compared(lambda: replay().count(), lambda: reduced().count(), repeats)
    equal = Counter(replay().collect()) == Counter(reduced().collect())
    remove_captured(folder)
    return {"query": _name(program), "replay": times[0], "reduced": times[1], "equal": equal}


def _without(row: Cursor, data: Path, folder: Path) -> Path:
    """Return a new folder with the texts, without the only line of a cursor."""
    (place,) = row.ids().collect()
    for path in (each for each in data.rglob("*.txt") if each.is_file()):
        copy = folder / path.relative_to(data)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if str(path) != place["file"]:
            copy.hardlink_to(path)
            continue
        with path.open("rb") as whole, copy.open("wb") as less:
            less.writelines(islice(whole, place["row"]))
            next(whole)
            less.writelines(whole)
    return folder
