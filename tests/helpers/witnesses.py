"""The oracle of captured lineage: on only a row's witnesses, a query must return the row again."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from provhouse.capturing.jvm_rules import CaptureReports, capturing
from provhouse.capturing.reading.description import CapturedWrite
from provhouse.capturing.reading.finished import captured_writes
from provhouse.capturing.reading.output import output_of
from provhouse.capturing.reading.traced_rows import Traced, traced
from provhouse.model.associations import ROW_BITS

Row = tuple[Any, ...]
Tables = Mapping[str, DataFrame]
Program = Callable[[Tables], DataFrame]
Witnesses = Mapping[str, Mapping[Path, set[int]]]
"""The indexes of source rows, by table and by file."""


def read(spark: SparkSession, folder: Path) -> dict[str, DataFrame]:
    """Return the tables below a folder. Each table is a folder of Parquet files."""
    return {path.name: spark.read.parquet(str(path)) for path in sorted(folder.iterdir())}


def query(sql: str) -> Program:
    """Return a program that runs SQL over views of the tables."""

    def run(tables: Tables) -> DataFrame:
        for name, frame in tables.items():
            frame.createOrReplaceTempView(name)
        return next(iter(tables.values())).sparkSession.sql(sql)

    return run


def rows_of(frame: DataFrame) -> list[Row]:
    """Return the rows of a frame as tuples.

    NaN becomes a string, because NaN does not equal itself.
    """
    return [tuple(map(_comparable, row)) for row in frame.collect()]


@dataclass(frozen=True)
class Found:
    """The rows that a captured program has written, and the source rows from which each derives."""

    traced: Traced
    rows: list[Row]

    @property
    def supersets(self) -> set[str]:
        """Return the kinds of operators whose lineage may contain more rows than were used."""
        taps = self.traced.output.write.taps
        return {taps[number].kind for number in self.traced.supersets}

    def witnesses(self, row: int) -> dict[str, dict[Path, set[int]]]:
        """Return the indexes of the source rows from which a row derives, by table and file."""
        files = {source.number: source for source in self.traced.output.write.sources}
        found: defaultdict[str, dict[Path, set[int]]] = defaultdict(dict)
        for each in ids_of(self.traced, row):
            source = files[each >> ROW_BITS]
            found[source.table].setdefault(source.path, set()).add(each & ((1 << ROW_BITS) - 1))
        return dict(found)


def ids_of(found: Traced, row: int) -> set[int]:
    """Return the IDs of the source rows from which a row derives."""
    ids = {int(each) for part in found.direct_pairs() for each in part.row[part.at == row]}
    for group in found.grouped:
        groups = group.group[group.row == row]
        for part in group.sources.parts():
            ids |= {int(each) for each in part.row[np.isin(part.at, groups)]}
    return ids


def captured(spark: SparkSession, frame: DataFrame, folder: Path) -> Found:
    """Write a frame with its lineage below a folder. Raise UsageError if the write is refused."""
    taken = CaptureReports()
    with capturing(spark, folder / "taps of 5% ü", taken, {}):
        frame.write.parquet(str(folder / "out"))
    (write,) = captured_writes(folder / "taps of 5% ü")
    return found_of(write)


def found_of(write: CapturedWrite) -> Found:
    """Return the rows of a captured write, each with its source rows."""
    found = traced(output_of(write), write.folder)
    tables = [pq.read_table(path).to_pylist() for path in found.output.files]
    rows = [tuple(map(_comparable, row.values())) for table in tables for row in table]
    return Found(found, rows)


def associations(found: Found) -> Counter[tuple[object, ...]]:
    """Return each written row together with the source rows from which it derives."""
    counted = Counter[tuple[object, ...]]()
    for number, row in enumerate(found.rows):
        witnesses = found.witnesses(number).items()
        named = [(table, str(path), frozenset(rows)) for table, files in witnesses
                 for path, rows in files.items()]  # fmt: skip
        counted[(str(row), frozenset(named))] += 1
    return counted


def again(
    spark: SparkSession,
    program: Program,
    source: Path,
    witnesses: Witnesses,
    folder: Path,
    whole: Collection[str] = (),
) -> list[Row]:
    """Run a program on tables that are cut to witnesses, except the tables in ``whole``."""
    for table in sorted(source.iterdir()):
        parts = []
        for path in sorted(table.glob("*.parquet")):
            rows = pq.read_table(path)
            indexes = sorted(witnesses.get(table.name, {}).get(path, ()))
            parts.append(rows if table.name in whole else rows.take(pa.array(indexes, pa.int64())))
        (folder / table.name).mkdir(parents=True)
        pq.write_table(pa.concat_tables(parts), folder / table.name / "cut.parquet")
    return rows_of(program(read(spark, folder)))


def _comparable(value: Any) -> Any:
    return "NaN" if isinstance(value, float) and value != value else value
