"""Compare replays with runs of the same program on tables that are cut to the same rows."""

import random
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from helpers.witnesses import Program, Row, read, rows_of
from provhouse.capturing.jvm_rules import CaptureReports, capturing
from provhouse.capturing.reading.finished import captured_writes
from provhouse.capturing.reading.output import output_of
from provhouse.capturing.walks.cursor_ids import CursorIds
from provhouse.capturing.walks.cursor_places import SOURCES
from provhouse.capturing.walks.flow import CapturedFlow
from provhouse.capturing.walks.replay import replayed
from provhouse.model.associations import ROW_BITS

Chosen = dict[Path, set[int]]
"""The indexes of the chosen rows, by file."""


@dataclass(frozen=True)
class Replayed:
    """A captured program, and the comparison of its replays."""

    spark: SparkSession
    program: Program
    tables: Path
    """The folder that contains a folder of Parquet files for each table."""
    frame: DataFrame
    flow: CapturedFlow

    @classmethod
    def of(cls, spark: SparkSession, program: Program, tables: Path, folder: Path) -> "Replayed":
        """Capture a write of the frame that a program returns."""
        frame, taken = program(read(spark, tables)), CaptureReports()
        with capturing(spark, folder / "taps", taken, {}):
            frame.write.parquet(str(folder / "out"))
        (write,) = captured_writes(folder / "taps")
        flow = CapturedFlow(spark, [output_of(write)], None, taken.rules)
        return cls(spark, program, tables, frame, flow)

    def choose(self, share: float, seed: int) -> Chosen:
        """Return random rows, about ``share`` of all rows, of the files that the program reads."""
        chosen: Chosen = defaultdict(set)
        dice = random.Random(seed)
        for file in self.flow.numbers.files:
            if file.write is None:
                rows = range(pq.read_metadata(file.path).num_rows)
                chosen[file.path] |= {row for row in rows if dice.random() < share}
        return chosen

    def check(self, chosen: Chosen, only: bool, folder: Path, many: bool = False) -> None:
        """Fail if a replay differs from a run on tables cut to the same rows.

        If ``only``, just the chosen rows are kept. Otherwise, the chosen rows are left out.
        """
        numbers = {file.path: file.number for file in self.flow.numbers.files}
        every = {(numbers[path] << ROW_BITS) + row for path, rows in chosen.items() for row in rows}
        ids = CursorIds(np.array(sorted(every), np.int64))
        if many:
            frame = ids.to_frame(self.spark)
            ids = CursorIds(make=lambda: frame)
        found = rows_of(replayed(self.flow, self.frame, {SOURCES: ids}, only))
        kept = (lambda path, row: row in chosen[path]) if only else (
            lambda path, row: row not in chosen[path]
        )  # fmt: skip
        reduced = read(self.spark, cut(self.tables, folder, kept))
        assert bag(found) == bag(rows_of(self.program(reduced)))


def cut(tables: Path, folder: Path, kept: Callable[[Path, int], bool]) -> Path:
    """Write the tables again to ``folder``, with only the rows for which ``kept`` is true."""
    for path in sorted(tables.rglob("*.parquet")):
        rows = pq.ParquetFile(path).read()
        indexes = [row for row in range(rows.num_rows) if kept(path, row)]
        to = folder / path.relative_to(tables)
        to.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(rows.take(pa.array(indexes, pa.int64())), to)
    return folder


def bag(rows: list[Row]) -> Counter[str]:
    """Return rows as a bag.

    Floats are rounded, because the last digits of a sum depend on the order of the rows.
    """
    return Counter(
        repr([float(f"{each:.9g}") if isinstance(each, float) else each for each in row])
        for row in rows
    )
