"""RDDs: each record that is saved has exactly the lineage that an interpreter gives it."""

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from helpers.rdd_captured import Rows, rows_of, save
from helpers.rdd_programs import ONE, TWO, Followed, files, pair, program
from helpers.warehouse import House
from provhouse.capturing.rdds.context import LineageContext
from provhouse.capturing.rdds.rdd import LineageRDD

FEW, LONG, STEPS = 2, 300, 5
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
    """Write files of lines."""
    for name, lines in held.items():
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))


def check(
    made: dict[str, tuple[Made, dict[str, list[str]]]], spark: SparkSession, at: Path
) -> None:
    """Save programs, each on its files, and compare their records and lineage."""

    def opening(name: str) -> Callable[[LineageContext], LineageRDD]:
        run, held = made[name]
        folder = at / f"files {name}"
        folder.mkdir()
        write_files(held, folder)
        return lambda context: run(lambda file: context.textFile(str(folder / f"{file}.txt"), 3))

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


def test_random_programs(spark: SparkSession, tmp_path: Path) -> None:
    check(random_programs(range(FEW)), spark, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("first", range(100, 100 + LONG, 20))
def test_many_random_programs(first: int, spark: SparkSession, tmp_path: Path) -> None:
    check(random_programs(range(first, first + 20)), spark, tmp_path)


@pytest.mark.long
def test_each_operator(spark: SparkSession, tmp_path: Path) -> None:
    check({name: (made, LINES) for name, made in BY_HAND.items()}, spark, tmp_path)


def test_lineage_goes_on_through_jobs(
    houses: Callable[..., House], spark: SparkSession, tmp_path: Path
) -> None:
    house = houses()
    log, codes, best = (str(tmp_path / name) for name in ("log.txt", "codes", "best"))
    Path(log).write_text("".join(f"{code} {at}\n" for at, code in enumerate("abcab")))
    with house.capture() as run, run.op("count codes"):
        lines = run.context.textFile(log, 3)
        counts = lines.map(lambda line: (line[0], 1)).reduceByKey(lambda one, two: one + two, 2)
        counts.map(repr).saveAsTextFile(codes)
    assert run.report
    assert [(write.table, write.rows) for write in run.report.writes] == [("codes", 3)]
    with house.capture() as run:
        found = run.context.textFile(codes)
        found.filter(lambda line: line.startswith("('a'")).saveAsTextFile(best)
    house.check()
    with house.open() as warehouse:
        rows = {item.item: item for item in warehouse.find("best/").items}
        (row,) = rows
        answer = warehouse.lineage(row)
        sources = sorted(item.item for item in answer.items if item.item.startswith("log/"))
        numbers = [int(name.removeprefix("log/")) & (1 << 40) - 1 for name in sources]
    assert numbers == [0, 3]
