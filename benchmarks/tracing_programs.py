"""Walks through grep, word count and PigMix, on RDDs and data frames, without a landing."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import programs_rdds
from capture_overhead import EVERY, Peak
from programs import SPLIT
from programs_data import generate
from programs_frames import PROGRAMS as FRAMES
from programs_rdds import PROGRAMS as RDDS
from programs_rdds import Inputs
from pyspark import cloudpickle
from pyspark.sql import SparkSession
from tracing_form import Through
from tracing_walks import one, walked

from provhouse.capturing.rdds.context import LineageContext
from provhouse.capturing.session import Captured, capturing
from provhouse.ingest.captured.finished import captured_writes, outputs_of
from provhouse.runtime.memory import sampling
from provhouse.store.warehouse.layout import bytes_below
from provhouse.tracing.cursor import Cursor
from provhouse.tracing.flow import Flow

INTERFACES = ("RDD", "data frame")


def through_programs(
    spark: SparkSession,
    folder: Path,
    size: float,
    repeats: int,
    found: list[Through],
    store: Callable[[list[Any], Any], None],
) -> None:
    """Measure walks through the programs that are missing, on texts of some gigabytes."""
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
    """Capture a program on the texts of a folder; return a cursor at all rows of its result."""
    taps, out, block = folder / "taps", folder / "result", Captured()
    with capturing(spark, taps, block, {}):
        if interface == "RDD":
            context = LineageContext(spark.sparkContext, block, taps, {})
            on_texts(program, folder / "programs")(context).saveAsTextFile(str(out))
        else:
            spark.sql(FRAMES[program]).write.parquet(str(out))
    flow = Flow(spark, outputs_of(captured_writes(taps)), {}, rules=block.rules)
    return Cursor.at_table(flow, "result")


def on_texts(program: str, texts: Path) -> Callable[[Any], Any]:
    """Return the function that makes a program of RDDs on some texts, from a context."""
    cloudpickle.register_pickle_by_value(programs_rdds)  # type: ignore[no-untyped-call]
    partitions = max(2, bytes_below(texts / "words.txt") // SPLIT)
    return lambda context: RDDS[program](Inputs(context, texts, partitions))


def remove_captured(folder: Path) -> None:
    """Remove the result and the associations of the last program that was captured."""
    for name in ("taps", "result"):
        shutil.rmtree(folder / name)
