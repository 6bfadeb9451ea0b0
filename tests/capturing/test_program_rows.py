"""Rows that the program itself creates are items of tables named after the rows' content."""

from collections.abc import Callable, Mapping

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from helpers.warehouse import House
from provhouse.model.errors import UsageError

LETTERS = [(1, "a"), (2, "b"), (3, None), (3, None)]


def made(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(LETTERS, "k INT, v STRING")


def listed(spark: SparkSession) -> DataFrame:
    return spark.sql("SELECT * FROM VALUES (1, 'x'), (2, 'y'), (4, 'z') AS given(k, w)")


FRAMES: dict[str, tuple[Callable[[SparkSession], DataFrame], dict[int, set[str]]]] = {
    "made": (lambda spark: made(spark).where("k = 2"), {2: {"literal/1"}}),
    "grouped": (lambda spark: made(spark).groupBy("k").count(), {3: {"literal/2", "literal/3"}}),
    "folded": (lambda spark: listed(spark).where("k > 1"), {2: {"literal/1"}, 4: {"literal/2"}}),
    "ranged": (
        lambda spark: spark.range(10, 0, -3).toDF("k").where("k < 8"),
        {7: {"range-10-0--3/1"}, 1: {"range-10-0--3/3"}},
    ),
    "parsed": (
        lambda spark: spark.read.json(spark.sparkContext.parallelize(['{"k": 5}', '{"k": 6}'], 2)),
        {5: {"literal/0"}, 6: {"literal/1"}},
    ),
    "commas": (  # the header and empty lines are no rows
        lambda spark: spark.read.csv(
            spark.sparkContext.parallelize(["k,v", "5,a", "", "6,b", "5,a"], 2),
            header=True,
            inferSchema=True,
        ).where("v > 'a'"),
        {6: {"literal/1"}},
    ),
    "unnamed": (
        lambda spark: spark.read.csv(spark.sparkContext.parallelize(["7", "8"]), "k int"),
        {7: {"literal/0"}, 8: {"literal/1"}},
    ),
    "limited": (lambda spark: made(spark).repartition(1).orderBy("k").limit(1), {1: {"literal/0"}}),
    "joined": (
        lambda spark: made(spark).join(listed(spark), "k").select("k", F.upper("w")),
        {1: {"literal/0"}, 2: {"literal/1"}},  # of both lists
    ),
    "cached": (lambda spark: made(spark).where("k < 3").cache(), {2: {"literal/1"}}),
}


def lineage(house: House, items: Mapping[str, set[int]]) -> dict[str, dict[int, set[str]]]:
    """Return the sources of the given rows, by table and key."""
    with house.open() as warehouse:
        return {
            name: {key: {each.item for each in warehouse.lineage(f"{name}/{key}").items}
                   for key in keys}
            for name, keys in items.items()
        }  # fmt: skip


def plain(items: set[str]) -> set[str]:
    """Return items without the digests in the names of their tables."""
    parts = (item.partition("/") for item in items)
    return {f"{table if table.startswith('range') else 'literal'}/{row}" for table, _, row in parts}


@pytest.mark.parametrize(
    "names", [("made", "folded", "ranged"), pytest.param((*FRAMES,), marks=pytest.mark.long)]
)
def test_rows_of_the_program_are_items(
    names: tuple[str, ...],
    houses: Callable[..., House],
    spark: SparkSession,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    house, folder = houses(), tmp_path_factory.mktemp("program")
    before = spark.conf.get("spark.sql.optimizer.excludedRules", "")
    with house.capture(keys=dict.fromkeys(names, "k")):
        for name in names:
            FRAMES[name][0](spark).write.parquet(str(folder / name))
    assert spark.conf.get("spark.sql.optimizer.excludedRules", "") == before
    found = lineage(house, {name: {*FRAMES[name][1]} for name in names})
    assert {
        name: {key: plain(items) for key, items in rows.items()} for name, rows in found.items()
    } == {name: FRAMES[name][1] for name in names}
    assert found["made"][2].isdisjoint(found["folded"][2])


@pytest.mark.long
def test_equal_lists_are_one_table_and_other_lists_are_not(
    houses: Callable[..., House], spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> None:
    house, folder = houses(), tmp_path_factory.mktemp("program")
    lists = {"one": LETTERS[:3], "two": LETTERS[:3], "three": LETTERS[1:3]}
    with house.capture(keys=dict.fromkeys(lists, "k")):
        for name, rows in lists.items():
            parts = 3 if name == "two" else 1
            given = spark.sparkContext.parallelize(rows, parts).toDF("k INT, v STRING")
            given.write.parquet(str(folder / name))
    found = lineage(house, {name: {2} for name in lists})
    assert found["one"] == found["two"]
    assert plain(found["three"][2]) == {"literal/0"}
    assert found["one"][2].isdisjoint(found["three"][2])


@pytest.mark.long
def test_rows_that_spark_may_have_folded_are_refused(
    houses: Callable[..., House], spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("program")

    def job() -> None:
        spark.conf.unset("spark.sql.optimizer.excludedRules")
        listed(spark).where("k > 1").write.parquet(str(folder / "out"))

    with pytest.raises(UsageError, match="excludedRules"), houses().capture():
        job()


@pytest.mark.long
def test_a_checkpoint_in_the_block_keeps_the_lineage_of_its_rows(
    houses: Callable[..., House], spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> None:
    house, folder = houses(), tmp_path_factory.mktemp("checkpoints")
    with house.capture(keys={"out": "k", "other": "k"}):
        found = made(spark).where("v IS NOT NULL").select("k")
        kept = []
        for _ in range(2):
            found = found.union(found.selectExpr("k + 10")).distinct().localCheckpoint()
            kept.append(found)
        kept[1].write.parquet(str(folder / "out"))
        kept[0].write.parquet(str(folder / "other"))
    rows = lineage(house, {"out": {1, 12, 21}, "other": {2, 11}})
    assert {key: plain(items) for key, items in rows["out"].items()} == {
        1: {"literal/0"},
        12: {"literal/1"},
        21: {"literal/0"},
    }
    assert {key: plain(items) for key, items in rows["other"].items()} == {
        2: {"literal/1"},
        11: {"literal/0"},
    }
