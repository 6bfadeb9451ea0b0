"""Rerunning an RDD program without some lines gives what an interpreter computes from the rest."""

import os
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyspark.sql import SparkSession

from helpers.rdd_captured import lineage_context
from helpers.rdd_programs import Files, Followed, files, program
from helpers.warehouse import House
from provhouse.capturing.rdds.replay_context import kept
from provhouse.capturing.reading.finished import captured_writes, outputs_of
from provhouse.capturing.walks.cursor import Cursor
from provhouse.capturing.walks.cursor_ids import CursorIds
from provhouse.capturing.walks.cursor_places import SOURCES
from provhouse.capturing.walks.flow import CapturedFlow
from provhouse.model.errors import BadInput, UsageError

STEPS = 5


def write_files(held: Mapping[str, Sequence[str]], folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for name, lines in held.items():
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))


def chosen(flow: CapturedFlow, held: Files, rng: random.Random) -> Cursor:
    """Return a cursor at random lines of the files that the block has read."""
    sources = [file for file in flow.numbers.files if file.write is None]
    ids = [
        file.first_id + at
        for file in sources
        for at in range(len(held[file.table]))
        if rng.random() < 0.4
    ]
    return Cursor(flow, lambda: {SOURCES: CursorIds(np.array(ids, np.int64))})


def cut(held: Files, rows: Cursor, only: bool) -> Files:
    """Return the files without the lines of ``rows``, or with only these lines if ``only``."""
    at = Counter((Path(each["file"]).stem, each["row"]) for each in rows.ids().collect())
    return {
        name: [line for row, line in enumerate(lines) if ((name, row) in at) == only]
        for name, lines in held.items()
    }


def check_random(spark: SparkSession, seed: int, folder: Path) -> None:
    """Rerun a random program, once without some random lines and once on only those lines."""
    rng = random.Random(seed)
    held = files(rng)
    run = program(rng, STEPS)
    write_files(held, folder)

    def made(context: Any) -> Any:
        return run(lambda name: context.textFile(str(folder / f"{name}.txt"), 3)).map(repr)

    with lineage_context(spark, folder / "taps") as context:
        made(context).saveAsTextFile(str(folder / "result"))
    flow = CapturedFlow(spark, outputs_of(captured_writes(folder / "taps")))
    rows = chosen(flow, held, rng)
    if rows.position[SOURCES].are_none:
        return
    for only in (False, True):
        less = {name: Followed.of(name, lines) for name, lines in cut(held, rows, only).items()}
        right = Counter(repr(each.value) for each in run(less.__getitem__).records)
        found = (rows.replay(made) if only else rows.left_out(made)).collect()
        assert Counter(found) == right, (seed, only)


@pytest.mark.long
def test_a_random_program_runs_on_other_lines(spark: SparkSession, tmp_path: Path) -> None:
    check_random(spark, 1, tmp_path / "a folder ünd")


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 60))
def test_random_programs_run_on_other_lines(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    check_random(spark, seed, tmp_path / "files")


@pytest.mark.parametrize("only", [False, True])
def test_rows_are_kept_by_position(only: bool) -> None:
    rng = random.Random(3)
    for size in (0, 1, 9, 200):
        rows = [*range(size)]
        at = sorted(rng.sample(rows, rng.randrange(size + 1)))
        places = np.array(at, np.int64) if at else None
        assert [*kept(rows, places, only)] == [row for row in rows if (row in at) == only]


LOG = ["ERROR 40 x", "ok", "ERROR 7 Guest", "ERROR 40 Guest", "", "ERROR 3 y", "ERROR 3 Guest"]


def errors(lines: Any) -> Any:
    """Return the codes of errors, using a function that is declared to work row by row."""
    return lines.mapPartitions(
        lambda part: (line.split()[1] for line in part if line.startswith("ERROR")),
        row_by_row=True,
    )


def counted(words: Any) -> Any:
    """Count the occurrences of each word."""
    pairs = words.map(lambda word: (word, 1)).reduceByKey(add)
    return pairs.map(lambda pair: f"{pair[0]} {pair[1]}")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log file."""
    write_files({"log": LOG * 400}, tmp_path)
    return tmp_path / "log.txt"


@pytest.mark.long
def test_without_user_guest(houses: Callable[..., House], log: Path, tmp_path: Path) -> None:
    """The third example of Titian's paper, on RDDs, with too many lines to exclude by condition."""

    def codes(context: Any) -> Any:
        lines = context.union([context.textFile(str(log), 4), context.textFile(str(log), 3)])
        return counted(errors(lines))

    with houses().capture() as run:
        codes(run.context).saveAsTextFile(str(tmp_path / "codes"))
        counted(run.context.textFile(str(tmp_path / "codes"))).saveAsTextFile(
            str(tmp_path / "again")
        )

    guest = run.trace("log").where("value LIKE '%Guest%'")
    assert {*run.replay(codes, without=guest).collect()} == {"40 800", "3 800"}
    forty = run.trace("codes").where("value LIKE '40 %'")
    assert forty.replay(codes).collect() == ["40 1600"]
    assert forty.replay(codes, without=guest).collect() == ["40 800"]

    def again(context: Any) -> Any:
        return context.textFile(str(tmp_path / "codes"))

    assert {*run.replay(again, without=forty).collect()} == {"7 800", "3 1600"}
    with pytest.raises(UsageError, match="which the block itself has written"):
        run.replay(again, without=guest)
    with pytest.raises(UsageError, match="groups of an operator"):
        run.replay(codes, without=forty.go_back())
    with pytest.raises(UsageError, match="does not read the tables of the cursor's rows"):
        run.replay(codes, without=forty)
    with pytest.raises(UsageError, match="in different parts"):
        run.replay(lambda context: context.textFile(str(log), 7), without=guest)
    with pytest.raises(UsageError, match="must return an RDD"):
        run.replay(lambda context: codes(context).collect(), without=guest)
    with pytest.raises(UsageError, match="A replay must not write"):
        run.replay(lambda context: codes(context).saveAsTextFile("no"), without=guest)
    with pytest.raises(UsageError, match="parallelize is not covered"):
        run.replay(lambda context: context.parallelize([1]), without=guest)
    (tmp_path / "codes" / "new").write_text("a\n")
    with pytest.raises(BadInput, match="a file that the block did not read"):
        run.replay(again, without=forty)
    os.utime(log, (1, 1))
    with pytest.raises(BadInput, match="changed"):
        run.replay(codes, without=guest)


@pytest.mark.long
def test_lines_with_a_key_are_not_left_out(
    houses: Callable[..., House], log: Path, tmp_path: Path
) -> None:
    write_files({"log": [f"{at} {line}" for at, line in enumerate(LOG)]}, tmp_path)
    with houses().capture(keys={"log": lambda line: line.split()[0]}) as run:
        run.context.textFile(str(log)).saveAsTextFile(str(tmp_path / "copy"))
    first = run.trace("log").where("value LIKE '0 %'")
    with pytest.raises(UsageError, match="cannot be left out of an RDD"):
        run.replay(lambda context: context.textFile(str(log)), without=first)


@pytest.mark.long
def test_the_lines_to_blame_are_found(houses: Callable[..., House], tmp_path: Path) -> None:
    readings = [f"s{at % 5} {at % 7}" for at in range(2000)]
    readings[1203] = "s3 9000"
    write_files({"readings": readings, "names": [f"s{at} place{at}" for at in range(5)]}, tmp_path)

    def report(context: Any) -> Any:
        values, names = (
            context.textFile(str(tmp_path / f"{name}.txt")).map(str.split)
            for name in ("readings", "names")
        )
        total = values.map(lambda pair: (pair[0], int(pair[1]))).reduceByKey(add)
        return total.join(names.map(tuple)).map(lambda each: f"{each[1][1]} {each[1][0]}")

    with houses().capture() as run:
        report(run.context).saveAsTextFile(str(tmp_path / "report"))
        run.context.textFile(str(tmp_path / "names.txt")).saveAsTextFile(str(tmp_path / "copy"))
    row = run.trace("report").where("value LIKE 'place3 %'")
    wrong = "int(split(value, ' ')[1]) > 5000"
    found = run.smallest(row, test=wrong, program=report)
    assert [each["value"] for each in found.rows.of("readings").records().collect()] == ["s3 9000"]
    assert [each["value"] for each in found.rows.of("names").records().collect()] == ["s3 place3"]
    assert found.lineage == 400 + 1
    assert found.replays <= 20
    assert found.rows.replay(report).collect() == ["place3 9000"]

    with pytest.raises(UsageError, match="Give the function that makes it"):
        run.smallest(row, test=wrong)
    with pytest.raises(UsageError, match="is not wrong"):
        run.smallest(row, test="value IS NULL", program=report)
