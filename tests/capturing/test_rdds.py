"""RDDs: each saved record has exactly the lineage that an interpreter computes."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import provhouse
from helpers.rdd_captured import Rows, rows_of, save
from helpers.rdd_programs import ONE, TWO, Followed, files, pair, program
from helpers.warehouse import House
from provhouse.capturing.rdds.context import LineageContext
from provhouse.capturing.rdds.rdd import LineageRDD
from provhouse.model.errors import UsageError

LONG, STEPS = 300, 5
LINES = {
    "t": ["1 a", "1 a", "", "2 b", "-1 a", "-2 a", "x", "3 ab"],
    "u": ["1 b", "", "1 a", "4 c", "-2 a"],
    "empty": list[str](),
}
Opened = Callable[[str], Any]
Made = Callable[[Opened], Any]


def with_one(step: Callable[[Any], Any]) -> Made:
    return lambda opened: step(opened("t").map(pair))


def with_two(step: Callable[[Any, Any], Any], other: str) -> Made:
    return lambda opened: step(opened("t").map(pair), opened(other).map(pair))


BY_HAND: dict[str, Made] = {
    **{f"one {at}": with_one(step) for at, step in enumerate(ONE)},
    **{f"two {at}": with_two(step, "u") for at, step in enumerate(TWO)},
    **{f"itself {at}": with_two(step, "t") for at, step in enumerate(TWO)},
    **{f"without rows {at}": with_two(step, "empty") for at, step in enumerate(TWO)},
    "lines": lambda opened: opened("t"),
    "no rows": lambda opened: opened("empty"),
    "nothing left": lambda opened: opened("t").filter(bool).filter(lambda line: False),
}


def write_files(held: dict[str, list[str]], folder: Path) -> None:
    """Write text files, given their lines by name."""
    for name, lines in held.items():
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))


def check(
    made: dict[str, tuple[Made, dict[str, list[str]]]],
    spark: SparkSession,
    at: Path,
    partitions: int = 3,
) -> None:
    """Run programs on their files and save the results; check the records and their lineage."""

    def opening(name: str) -> Callable[[LineageContext], LineageRDD]:
        run, held = made[name]
        folder = at / f"files {name}"
        folder.mkdir()
        write_files(held, folder)
        return lambda context: run(
            lambda file: context.textFile(str(folder / f"{file}.txt"), partitions)
        )

    writes = save(spark, at, {name: opening(name) for name in made})
    wrong = {}
    for name, (run, held) in made.items():
        followed = {file: Followed.of(file, lines) for file, lines in held.items()}
        expected = run(followed.__getitem__).records
        right: Rows = Counter((repr(value), lines) for value, lines in expected)
        if rows_of(writes[name]) != right:
            wrong[name] = (rows_of(writes[name]) - right, right - rows_of(writes[name]))
    assert not wrong, "\n".join(f"{name}: {found}" for name, found in wrong.items())


def random_programs(seeds: range) -> dict[str, tuple[Made, dict[str, list[str]]]]:
    found = {}
    for seed in seeds:
        rng = random.Random(seed)
        held = files(rng)
        found[f"seed {seed}"] = (program(rng, STEPS), held)
    return found


@pytest.mark.long
def test_a_random_program(spark: SparkSession, tmp_path: Path) -> None:
    check(random_programs(range(1)), spark, tmp_path, 2)


@pytest.mark.long
@pytest.mark.parametrize("first", range(100, 100 + LONG, 20))
def test_many_random_programs(first: int, spark: SparkSession, tmp_path: Path) -> None:
    check(random_programs(range(first, first + 20)), spark, tmp_path)


@pytest.mark.long
def test_each_operator(spark: SparkSession, tmp_path: Path) -> None:
    check({name: (made, LINES) for name, made in BY_HAND.items()}, spark, tmp_path)


@pytest.mark.long
def test_the_right_side_of_a_cartesian_is_computed_once(
    spark: SparkSession, tmp_path: Path
) -> None:
    held = {"t": [f"{number} a" for number in range(300)], "u": LINES["t"]}

    def made(opened: Opened) -> Any:
        return opened("t").map(pair).cartesian(opened("u").map(pair).reduceByKey(max))

    check({"pairs": (made, held)}, spark, tmp_path, 2)
    merged = {path.parent.name for path in (tmp_path / "taps" / "rdds").rglob("*.parquet")}
    assert merged == {"1", "2"}  # before the shuffle, and after it
    for folder in merged:
        assert len(list((tmp_path / "taps" / "rdds" / folder).glob("[0-9]*.parquet"))) <= 2


@dataclass(frozen=True)
class Jobs:
    """A captured job, which has saved an RDD as the text files ``codes``."""

    house: House
    folder: Path
    first: provhouse.Capture


@pytest.fixture(scope="module")
def jobs(
    houses: Callable[..., House], spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Jobs:
    house, folder = houses(), tmp_path_factory.mktemp("jobs")
    log, codes = folder / "log.txt", str(folder / "codes")
    log.write_text("".join(f"{code} {at}\n" for at, code in enumerate("abcab")))
    with house.capture(tables=["codes"]) as first, first.op("count codes"):
        lines = first.context.textFile(str(log), 2)
        counts = lines.map(lambda line: (line[0], 1)).reduceByKey(lambda one, two: one + two, 2)
        counts.map(repr).saveAsTextFile(codes)
        lines.saveAsTextFile(str(folder / "copy"))
        lines.saveAsPickleFile(str(folder / "pickles"))
    return Jobs(house, folder, first)


@pytest.mark.long
def test_lineage_goes_on_through_jobs(jobs: Jobs) -> None:
    """`test_rdd_keys` and `test_renamed` contain short versions of this test."""
    with jobs.house.capture() as second:
        found = second.context.textFile(str(jobs.folder / "codes"))
        found.filter(lambda line: line.startswith("('a'")).saveAsTextFile(str(jobs.folder / "best"))
    with jobs.house.open() as warehouse:
        (row,) = [item.item for item in warehouse.find("best/").items]
        items = [item.item for item in warehouse.lineage(row).items]
    sources = sorted(item for item in items if item.startswith("log/"))
    assert [int(name.removeprefix("log/")) & (1 << 40) - 1 for name in sources] == [0, 3]


@pytest.mark.long
def test_the_warehouse_of_rdds_is_consistent(jobs: Jobs) -> None:
    jobs.house.check()


@pytest.mark.long
def test_tables_that_are_not_asked_for_are_saved_by_plain_spark(
    jobs: Jobs, spark: SparkSession
) -> None:
    assert jobs.first.report
    assert [(each.table, each.rows) for each in jobs.first.report.writes] == [("codes", 3)]
    lines = sorted((jobs.folder / "log.txt").read_text().splitlines())
    assert sorted(spark.sparkContext.textFile(str(jobs.folder / "copy")).collect()) == lines
    assert sorted(spark.sparkContext.pickleFile(str(jobs.folder / "pickles")).collect()) == lines


def test_a_block_that_has_ended_has_no_context(jobs: Jobs) -> None:
    with pytest.raises(UsageError, match="a block that has ended"):
        _ = jobs.first.context


def test_a_data_frame_finds_no_rows_by_a_key_in_the_text_of_an_rdd(
    jobs: Jobs, spark: SparkSession, tmp_path: Path
) -> None:
    frame = spark.read.text(str(jobs.folder / "codes"))
    with (
        pytest.raises(UsageError, match="An RDD of a captured job wrote them"),
        jobs.house.capture(keys={"codes": "value"}),
    ):
        frame.write.parquet(str(tmp_path / "frame"))
    with jobs.house.open() as warehouse:
        assert not warehouse.find("frame/").items


@pytest.mark.long
def test_an_rdd_finds_no_rows_in_the_text_of_a_data_frame_with_a_key(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    house, words, keyed = houses(), str(tmp_path / "words"), str(tmp_path / "keyed")
    spark.createDataFrame([("a",)], "value string").write.parquet(words)
    with house.capture(keys={"words": "value", "keyed": "value"}):
        spark.read.parquet(words).write.text(keyed)
    with pytest.raises(UsageError, match="named by the key value"), house.capture() as run:
        run.context.textFile(keyed).saveAsTextFile(str(tmp_path / "best"))


def test_a_budget_cannot_stop_rdds(houses: Callable[..., House]) -> None:
    with (
        pytest.raises(UsageError, match="in a block with a budget"),
        houses().capture(budget_mb=1) as run,
    ):
        _ = run.context


def test_rdds_that_are_not_covered_are_refused_in_plain_blocks_too(
    houses: Callable[..., House], tmp_path: Path
) -> None:
    write_files({"t": ["a"]}, tmp_path)
    plain = "on_unsupported='plain' does not cover RDDs"
    with houses().capture(on_unsupported="plain") as run:
        with pytest.raises(UsageError, match=r"SparkContext.parallelize") as error:
            run.context.parallelize([1])
        assert plain in str(error.value)
        with pytest.raises(UsageError, match=r"RDD.toDF") as error:
            run.context.textFile(str(tmp_path / "t.txt")).toDF()
        assert plain in str(error.value)
