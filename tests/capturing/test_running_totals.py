"""Running totals, ranks and sliding frames over a long partition are exact, and stay small."""

import json
import random
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from helpers.warehouse import House
from helpers.witnesses import captured
from provhouse.model.associations import FORM, MATCHING

ROWS = 600
WIDTH = 40
FRAMES: dict[str, tuple[str, Callable[[int], Iterable[int]]]] = {
    "totals": ("sum(v) OVER (ORDER BY id)", lambda id: range(1, id + 1)),
    "rests": (
        "sum(v) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)",
        lambda id: range(id, ROWS + 1),
    ),
    "slides": (
        f"sum(v) OVER (ORDER BY id ROWS BETWEEN {WIDTH} PRECEDING AND CURRENT ROW)",
        lambda id: range(max(id - WIDTH, 1), id + 1),
    ),
    "ranks": (  # ten rows have the same rank
        "rank() OVER (ORDER BY id div 10)",
        lambda id: range(1, id - id % 10),
    ),
}
PER_ROW = 16
"""The largest number of triples for each row of a table, with those of the row itself."""


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:Keys are declared")
def test_each_row_has_exactly_its_frame(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    ids = random.Random(5).sample(range(1, ROWS + 1), ROWS)
    pq.write_table(pa.table({"id": ids, "v": [id * id for id in ids]}), tmp_path / "events.parquet")
    spark.read.parquet(str(tmp_path / "events.parquet")).createOrReplaceTempView("events")
    house = houses()
    with house.capture(keys=dict.fromkeys(("events", *FRAMES), "id")) as run:
        for name, (text, _) in FRAMES.items():
            frame = spark.sql(f"SELECT id, {text} AS x FROM events")
            frame.write.parquet(str(tmp_path / name))
    assert run.report
    assert all(write.supersets == () for write in run.report.writes)
    commit = house.commit
    assert commit.triples - commit.beyond.total <= PER_ROW * ROWS * len(FRAMES)
    house.check_deep()
    with house.open() as warehouse:
        assert {op.exactness for op in warehouse.ops()} == {"exact"}
        for name, (_, used) in FRAMES.items():
            frames = {id: set(used(id)) | {id} for id in range(1, ROWS + 1)}
            for id in (1, 2, 37, 300, ROWS):
                found = warehouse.lineage(f"{name}/{id}").items
                assert {(item.item, item.depth) for item in found} == {
                    (f"events/{each}", 1) for each in frames[id]
                }, (name, id)
        for source in (1, 299, ROWS):
            reached = {
                (item.item, item.depth) for item in warehouse.impact(f"events/{source}").items
            }
            assert reached == {
                (f"{write.table}/{id}@{write.version}", 1)
                for write in run.report.writes
                for id in range(1, ROWS + 1)
                if source in FRAMES[write.table][1](id) or source == id
            }


FORMS = {
    "SELECT id, sum(v) OVER (ORDER BY id) FROM events": FORM,
    "SELECT id, lag(v) IGNORE NULLS OVER (ORDER BY id) FROM events": MATCHING,
    "SELECT id FROM events l WHERE EXISTS (SELECT 1 FROM events r WHERE r.v < l.v)": MATCHING,
}


@pytest.mark.long
def test_earlier_releases_refuse_taps_that_they_would_misread(
    spark: SparkSession, tmp_path: Path
) -> None:
    pq.write_table(pa.table({"id": [1, 2], "v": [3, 4]}), tmp_path / "events.parquet")
    spark.read.parquet(str(tmp_path / "events.parquet")).createOrReplaceTempView("events")
    for number, (text, form) in enumerate(FORMS.items()):
        found = captured(spark, spark.sql(text), tmp_path / str(number))
        description = found.traced.output.write.folder / "write.json"
        assert json.loads(description.read_text(encoding="utf-8"))["form"] == form, text
