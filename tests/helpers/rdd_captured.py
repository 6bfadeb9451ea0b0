"""RDDs that are saved with capture, and the lineage of their lines in the association files."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from pyspark import cloudpickle
from pyspark.sql import SparkSession

from helpers import rdd_programs
from provhouse.capturing.jvm_rules import CaptureReports, capturing
from provhouse.capturing.rdds.context import LineageContext
from provhouse.capturing.rdds.rdd import LineageRDD
from provhouse.capturing.reading.description import CapturedWrite
from provhouse.capturing.reading.finished import captured_writes
from provhouse.capturing.reading.rdd_output import rdd_output_of
from provhouse.capturing.reading.traced_rows import traced
from provhouse.model.associations import ROW_BITS

Rows = Counter[tuple[str, frozenset[tuple[str, int]]]]
"""The written lines, each with the lines from which it derives: table and position."""


@contextmanager
def lineage_context(spark: SparkSession, folder: Path) -> Iterator[LineageContext]:
    """A context whose associations are written to a folder and not ingested."""
    send: Any = cloudpickle.register_pickle_by_value
    send(rdd_programs)  # workers do not have this module
    taken = CaptureReports()
    with capturing(spark, folder, taken, {}):
        yield LineageContext(spark.sparkContext, taken, folder, {})


def save(
    spark: SparkSession,
    folder: Path,
    programs: Mapping[str, Callable[[LineageContext], LineageRDD]],
) -> dict[str, CapturedWrite]:
    """Save the result of each program in a subfolder with its name, and return the writes."""
    with lineage_context(spark, folder / "taps") as context:
        for name, program in programs.items():
            program(context).map(repr).saveAsTextFile(str(folder / name))
    return {write.table: write for write in captured_writes(folder / "taps")}


def rows_of(write: CapturedWrite) -> Rows:
    """Return the lines of a write, each with the lines from which it derives."""
    found = traced(rdd_output_of(write), write.folder)
    lines = [line for path in found.output.files for line in path.read_text().splitlines()]
    sources: list[set[tuple[str, int]]] = [set() for _ in lines]
    files = {source.number: source for source in write.sources}

    def add(rows: Sequence[int], ids: Sequence[int]) -> None:
        for row, each in zip(rows, ids, strict=True):
            source = files[each >> ROW_BITS]
            place = (each & ((1 << ROW_BITS) - 1)) + source.first
            sources[row].add((source.table, place))

    for pairs in found.direct_pairs():
        add(pairs.at.tolist(), pairs.row.tolist())
    for group in found.grouped:
        for part in group.sources.parts():
            for at, ids in _by_group(part.at, part.row).items():
                for row in group.row[group.group == at].tolist():
                    add([row] * len(ids), ids)
    return Counter((line, frozenset(each)) for line, each in zip(lines, sources, strict=True))


def _by_group(at: Any, row: Any) -> dict[int, list[int]]:
    return {int(each): row[at == each].tolist() for each in np.unique(at)}
