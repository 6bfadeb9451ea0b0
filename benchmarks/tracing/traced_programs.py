"""Measure walks through grep, word count and PigMix, on RDDs and data frames, without landing."""

import shutil
from collections import Counter
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from pyspark import cloudpickle
from pyspark.sql import SparkSession

from benchmarks.capture import programs_rdds
from benchmarks.capture.programs import FRAMES, SPLIT
from benchmarks.capture.programs_data import generate
from benchmarks.capture.programs_rdds import PROGRAMS as RDDS
from benchmarks.capture.programs_rdds import Inputs
from benchmarks.shared.costs import EVERY, Peak
from benchmarks.tracing.walks import Again, Through, compared, first, one, walked
from provhouse.capturing.jvm_rules import CaptureReports, capturing
from provhouse.capturing.rdds.context import LineageContext
from provhouse.capturing.reading.finished import captured_writes, outputs_of
from provhouse.capturing.walks.cursor import Cursor
from provhouse.capturing.walks.flow import CapturedFlow
from provhouse.runtime.memory_sizes import sampling
from provhouse.store.warehouse.layout import bytes_below

SIZE = 0.25
"""The size of each text in gigabytes."""
RERUN = ("grep", "word count", "L3")
"""The programs that are replayed: a filter, an aggregate, and a join with an aggregate."""


def rerun_programs(
    spark: SparkSession,
    folder: Path,
    repeats: int,
    found: list[Again],
    store: Callable[[list[Any], Any], None],
) -> None:
    """Measure the replays that the results lack."""
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
    """Fill a folder with copies of the text files that lack the line at the cursor; return it."""
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


INTERFACES = ("RDD", "data frame")


def through_programs(
    spark: SparkSession,
    folder: Path,
    size: float,
    repeats: int,
    found: list[Through],
    store: Callable[[list[Any], Any], None],
) -> None:
    """Measure walks through the programs that the results lack, on texts of ``size`` gigabytes."""
    known = {(each["program"], each["interface"], each["size"]) for each in found}
    every = [(program, interface) for program in RDDS for interface in INTERFACES]
    missing = [each for each in every if (*each, size) not in known]
    if not missing:
        return
    data = folder / "programs"
    shutil.rmtree(data, ignore_errors=True)
    generate(data, size)
    for path in sorted(each for each in data.iterdir() if each.suffix == ""):
        spark.read.parquet(str(path)).createOrReplaceTempView(path.name)
    for program, interface in missing:
        store(found, through(spark, folder, program, interface, size, repeats))


def through(
    spark: SparkSession, folder: Path, program: str, interface: str, size: float, repeats: int
) -> Through:
    """Capture a program, and return the times of walks from its result."""
    every, peak = captured(spark, folder, program, interface), Peak()
    peak.sample()
    before = peak.most
    with sampling(peak.sample, EVERY):
        steps = walked(every, repeats)
    result: Through = {
        "program": program,
        "interface": interface,
        "size": size,
        "witnesses": one(every).go_back_all().count(),
        **steps,
        "memory_mb": peak.most - before,
    }
    remove_captured(folder)
    return result


def captured(spark: SparkSession, folder: Path, program: str, interface: str) -> Cursor:
    """Capture a program on the texts in a folder; return a cursor on all rows of its result."""
    taps, out, block = folder / "taps", folder / "result", CaptureReports()
    with capturing(spark, taps, block, {}):
        if interface == "RDD":
            context = LineageContext(spark.sparkContext, block, taps, {})
            on_texts(program, folder / "programs")(context).saveAsTextFile(str(out))
        else:
            spark.sql(FRAMES[program]).write.parquet(str(out))
    flow = CapturedFlow(spark, outputs_of(captured_writes(taps)), rules=block.rules)
    return Cursor.at_table(flow, "result")


def on_texts(program: str, texts: Path) -> Callable[[Any], Any]:
    """Return a function that builds an RDD program on the texts ``data``, given a context."""
    cloudpickle.register_pickle_by_value(programs_rdds)  # type: ignore[no-untyped-call]
    partitions = max(2, bytes_below(texts / "words.txt") // SPLIT)
    return lambda context: RDDS[program](Inputs(context, texts, partitions))


def remove_captured(folder: Path) -> None:
    """Remove the result and the associations of the last program that was captured."""
    for name in ("taps", "result"):
        shutil.rmtree(folder / name)
