"""Random programs: each row has exactly the lineage that an interpreter over tuples computes.

An ingest traces the rows of each program twice: with the parts of windows listed row by row, and
with the same parts as stretches of rows.
"""

import random
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from helpers.random_programs import Program, Values, program, tables
from helpers.witnesses import Found, captured, found_of, ids_of, query, read
from provhouse.capturing.reading import stretches
from provhouse.capturing.reading import tap_trace as trace

FEW = [1304]
"""The seed of the short test: a window that ignores NULL, and a semi join with a comparison."""
MORE = [38, 42, 57, 741, 1330, 1370, 1473]
"""More seeds of short programs, whose windows have ranks and frames, too."""
LONG = 300
SHORT, STEPS = 3, 5
FILES = 2
COLUMNS = pa.schema([("x", pa.int32()), ("y", pa.string())])


def write_tables(held: dict[str, list[Values]], folder: Path) -> None:
    """Write each table to several files; its rows are distributed round-robin."""
    for name, rows in held.items():
        (folder / name).mkdir(parents=True)
        for file in range(FILES):
            columns = list(zip(*rows[file::FILES], strict=True))
            pq.write_table(pa.table(columns, COLUMNS), folder / name / f"{file}.parquet")


def found_rows(found: Found) -> Counter[object]:
    """Count the written rows, each with its source rows."""
    rows: Counter[object] = Counter()
    for at, row in enumerate(found.rows):
        sources = {
            (table, FILES * index + int(path.stem))
            for table, files in found.witnesses(at).items()
            for path, indexes in files.items()
            for index in indexes
        }
        rows[row, frozenset(sources)] += 1
    return rows


def check(seed: int, steps: int, spark: SparkSession, folder: Path) -> None:
    """Run the program that ``seed`` generates, and compare its rows and their lineage."""
    rng = random.Random(seed)
    held = tables(rng)
    made: Program = program(rng, held, steps)
    write_tables(held, folder / "tables")
    frame = query(made.sql)(read(spark, folder / "tables"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trace, "MOST_PER_ROW", 1 << 40)
        found = captured(spark, frame, folder)
        expected = Counter((row.values, row.sources) for row in made.rows)
        assert found_rows(found) == expected, f"seed {seed}: {made.sql}"
        patch.setattr(trace, "MOST_PER_ROW", 0)
        patch.setattr(stretches, "LEAST_BITS", 0)
        again = found_of(found.traced.output.write)
        if again.supersets == found.supersets:
            assert found_rows(again) == expected, f"seed {seed}, in stretches: {made.sql}"
        else:  # a window above groups lists whole partitions
            ids = (
                (ids_of(each.traced, row) for each in (found, again))
                for row in range(len(found.rows))
            )
            assert all(less <= more for less, more in ids), f"seed {seed}: {made.sql}"


@pytest.mark.parametrize(
    "seed", [*FEW, *(pytest.param(each, marks=pytest.mark.long) for each in MORE)]
)
def test_rows_have_exactly_their_lineage(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    check(seed, SHORT, spark, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 100 + LONG))
def test_many_programs(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    check(seed, STEPS, spark, tmp_path)
