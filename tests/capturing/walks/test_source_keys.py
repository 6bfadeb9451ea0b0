"""Cursors walk through groups whose keys are stored in columns of the sources."""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from helpers.warehouse import House

ROWS = 400
BY = [("who", "day"), ("who",), ("day",)]
WANTED = {("who", "day"): ("NULL", "'ann'"), ("who",): ("NULL",), ("day",): ("NULL", "2")}
WHO = ["ann", "bob", "", "żółć", None]


def write_visits(folder: Path) -> list[dict[str, str | int | None]]:
    """Write visits to two files, and return the key of each visit.

    The case of one column name differs between the files.
    """
    dice = np.random.default_rng(7)
    who = [WHO[at] for at in dice.integers(0, len(WHO), ROWS)]
    days = [int(day) if day else None for day in dice.integers(0, 4, ROWS)]
    folder.mkdir()
    for name, part, column in (("a", slice(0, 250), "who"), ("b", slice(250, ROWS), "WHO")):
        table = pa.table({column: who[part], "day": pa.array(days[part], pa.int32())})
        table = table.append_column("id", pa.array(range(ROWS)[part]))
        with pq.ParquetWriter(folder / f"{name}.parquet", table.schema) as writer:
            for piece in (table[:100], table[:0], table[100:]):
                writer.write_table(piece)
    return [{"who": name, "day": day} for name, day in zip(who, days, strict=True)]


@pytest.mark.long
@pytest.mark.parametrize("walker", ["scans", pytest.param("Spark", marks=pytest.mark.long)])
def test_groups_lead_to_their_rows_and_back(
    spark: SparkSession,
    houses: Callable[..., House],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    walker: str,
) -> None:
    keys = write_visits(tmp_path / "visits")
    visits = spark.read.schema("id long, who string, day int").parquet(str(tmp_path / "visits"))
    with houses().capture() as run:
        for by in BY:
            visits.groupBy(*by).count().write.parquet(str(tmp_path / "_".join(by)))
    if walker == "Spark":
        monkeypatch.setattr("provhouse.capturing.walks.cursor_ids.FEW", 1)
        monkeypatch.setattr("provhouse.capturing.walks.cursor_ids.HELD", 1)
    for by in BY if walker == "scans" else BY[:1]:  # once NULL in each column, and once a value
        expected = defaultdict[tuple[str | int | None, ...], set[int]](set)
        for number, key in enumerate(keys):
            expected[tuple(key[name] for name in by)].add(number)
        for wanted in WANTED[by]:
            row = run.trace("_".join(by)).where(f"{by[0]} <=> {wanted}")
            found = {tuple(row[name] for name in by) for row in row.records().collect()}
            sources = row.go_back_all()
            ids = {row["id"] for row in sources.records().collect()}
            assert ids
            assert ids == set().union(*(expected[each] for each in found))
            again = sources.go_next_all().of("_".join(by)).records().collect()
            assert {tuple(row[name] for name in by) for row in again} == found
