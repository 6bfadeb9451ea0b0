"""A replay reproduces the rows that were written, or warns that its rows differ."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import provhouse
from helpers.shop import write_shop
from helpers.warehouse import House
from helpers.witnesses import query, read, rows_of

WINDOWS = {
    "lead": "lead(id, 3) OVER (ORDER BY id)",
    "lag": "lag(id, 2) OVER (PARTITION BY small ORDER BY id DESC)",
    "before": "sum(id) OVER (ORDER BY id ROWS BETWEEN 4 PRECEDING AND 3 PRECEDING)",
    "after": "collect_list(id) OVER (ORDER BY id ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING)",
    "all_before": "count(id) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 3 PRECEDING)",
    "all_after": "min(id) OVER (ORDER BY id ROWS BETWEEN 2 FOLLOWING AND UNBOUNDED FOLLOWING)",
    "mixed": "lag(id, 2) OVER (ORDER BY id) + lead(id, 3) OVER (ORDER BY id)"
    " + dense_rank() OVER (ORDER BY fee) + sum(id) OVER (ORDER BY small RANGE 1 PRECEDING)",
}
WINDOWS["both"] = f"{WINDOWS['lead']} AS next, {WINDOWS['before']}"
DIFFERENT: dict[str, Callable[[DataFrame], DataFrame]] = {
    "offset": lambda orders: orders.orderBy("id").select("id").offset(3).limit(2),
    "random": lambda orders: orders.select("id", F.rand().alias("r")).orderBy("id"),
    "place": lambda orders: orders.orderBy("id").select(
        "id", F.monotonically_increasing_id().alias("n")
    ),
    "file": lambda orders: orders.select("id", F.expr("uuid()").alias("u")),
}
FEW = ("random",)
"""The programs that the usual tests run. ``make test-long`` tests all programs."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of an example shop."""
    folder = tmp_path_factory.mktemp("a shop, ünd")
    write_shop(folder)
    return folder


@dataclass(frozen=True)
class Written:
    """A block that has written one table for each frame, and the warehouse of the block."""

    house: House
    run: provhouse.Capture
    frames: dict[str, DataFrame]


@pytest.fixture(
    scope="module",
    params=[FEW, pytest.param((*WINDOWS, *DIFFERENT), marks=pytest.mark.long)],
    ids=["few", "all"],
)
def written(
    request: pytest.FixtureRequest,
    houses: Callable[..., House],
    spark: SparkSession,
    shop: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Written:
    """Programs that were captured in one block. Tables whose replays differ have declared keys."""
    folder, house, tables = tmp_path_factory.mktemp("programs"), houses(), read(spark, shop)
    frames = {
        name: query(f"SELECT id, {WINDOWS[name]} AS v FROM orders")(tables)
        if name in WINDOWS
        else DIFFERENT[name](tables["orders"])
        for name in request.param
    }
    keys = {name: "id" for name in frames if name in DIFFERENT}
    with house.capture(keys=keys) as run:
        for name, frame in frames.items():
            frame.write.parquet(str(folder / name))
    return Written(house, run, frames)


@pytest.mark.long
def test_a_window_is_computed_again_from_the_lineage_of_one_row(written: Written) -> None:
    for name in (name for name in written.frames if name in WINDOWS):
        for number in (5, 9) if name == "both" else (1, 5, 6, 9):
            row = written.run.trace(name).where(f"id = {number}")
            (found,) = rows_of(row.records())
            assert found in rows_of(row.replay(written.frames[name])), (name, number)


@pytest.mark.long
def test_a_replay_that_differs_says_so(written: Written) -> None:
    names = [name for name in written.frames if name in DIFFERENT]
    for name in names:
        frame, row = written.frames[name], written.run.trace(name).where("id = 4")
        with pytest.warns(UserWarning, match=f"1 rows of {name} are not in it, such as") as said:
            row.replay(frame)  # the row is not the first one of its file
        assert Path(said[0].filename) == Path(__file__)
        if names == [*FEW]:
            continue
        with pytest.warns(UserWarning, match="differs from what was written"):
            row.replay(frame, without=written.run.trace("orders").where("id = 1"))
    with written.house.open() as warehouse:
        exactness = {op.op.partition(":")[0]: op.exactness for op in warehouse.ops()}
    for name in names:
        assert exactness[name] == ("absence" if name == "offset" else "exact"), name


@pytest.mark.long
def test_what_was_written_is_compared_as_its_values(
    houses: Callable[..., House], spark: SparkSession, shop: Path, tmp_path: Path
) -> None:
    """Rows count as equal even if some representations differ.

    These are the last digits of sums, column names, nested values, and strings in folder names.
    """
    orders = spark.read.parquet(str(shop / "orders"))
    parts = spark.range(600, numPartitions=7).selectExpr("id", "rand(1) AS x", "id % 3 AS g")
    parts.write.parquet(str(tmp_path / "parts"))
    parts = spark.read.parquet(str(tmp_path / "parts"))
    sums = parts.groupBy("g").agg(F.sum("x"), F.avg("x"), F.sum(-F.col("x")).cast("float"))
    renamed = orders.select(F.col("id").alias("number"), F.col("cust").alias("name"))
    values = orders.where("id <> 7").selectExpr(
        "id", "map(id, price) AS m", "array(struct(fee, day)) AS a", "timestamp(day) AS t",
        "CAST(cust AS binary) AS b", "'0' || small AS folder",
    )  # fmt: skip
    with houses().capture() as run:
        sums.write.parquet(str(tmp_path / "sums"))
        renamed.write.format("delta").save(str(tmp_path / "renamed"))
        values.write.partitionBy("folder").parquet(str(tmp_path / "values"))
    for table, frame in (("sums", sums), ("renamed", renamed), ("values", values)):
        rows = run.trace(table)
        assert len(rows_of(rows.replay(frame))) == rows.count(), table


@pytest.mark.long
def test_a_replay_of_an_rdd_that_differs_says_so(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "log.txt").write_text("a\nb\n")

    def drawn(context: Any) -> Any:
        lines = context.textFile(str(tmp_path / "log.txt"))
        return lines.map(lambda line: f"{line} {random.random()}")

    def copied(context: Any) -> Any:
        return context.textFile(str(tmp_path / "log.txt")).map(str.upper)

    with houses().capture() as run:
        drawn(run.context).saveAsTextFile(str(tmp_path / "drawn"))
        copied(run.context).saveAsTextFile(str(tmp_path / "copied"))
        copied(run.context).saveAsPickleFile(str(tmp_path / "pickled"))
    row = run.trace("drawn").where("value LIKE 'b %'")
    with pytest.warns(UserWarning, match="1 rows of drawn are not in it"):
        row.replay(drawn)
    assert run.trace("copied").where("value = 'B'").replay(copied).collect() == ["B"]
    with pytest.warns(UserWarning, match="was not compared with the rows of pickled"):
        run.trace("pickled").replay(copied)


@pytest.mark.long
def test_rows_that_are_gone_are_said_not_to_be_compared(
    houses: Callable[..., House], spark: SparkSession, shop: Path, tmp_path: Path
) -> None:
    frame = spark.read.parquet(str(shop / "orders")).select("id")
    with houses().capture() as run:
        frame.write.parquet(str(tmp_path / "out"))
    rows = run.trace("out").where("id < 3")
    assert rows.count() == 2
    for file in (tmp_path / "out").glob("*.parquet"):
        file.unlink()
    with pytest.warns(UserWarning, match=r"not compared with the rows of out\. The records of out"):
        assert rows.replay(frame).count() == 2
