"""A row of an RDD gets its name from a function of its record, or from its whole line."""

from collections.abc import Callable
from datetime import date, datetime
from operator import add
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from helpers.warehouse import House
from provhouse.capturing.rdds.declared_keys import text_of
from provhouse.model.errors import BadInput, UsageError

BY_CODE = {"codes": lambda line: int(line.split()[0])}  # sent to workers as the function itself


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "log.txt"
    path.write_text("".join(f"{each}\n" for each in ("17 x", "23 y", "17 z", "5 x")))
    return str(path)


def save_codes(run: Any, log: str, folder: Path) -> None:
    pairs = run.context.textFile(log, 2).map(lambda line: (line.split()[0], 1))
    counts = pairs.reduceByKey(add, 2).map(lambda pair: f"{pair[0]} {pair[1]}")
    counts.saveAsTextFile(str(folder / "codes"))


def sources(house: House, item: str) -> set[str]:
    with house.open() as warehouse:
        return {each.item for each in warehouse.lineage(item).items}


@pytest.mark.long
@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.long)])
def test_keys_name_the_rows_that_rdds_write_and_read(
    houses: Callable[..., House], log: str, tmp_path: Path, whole: bool
) -> None:
    house = houses()
    keys = {**BY_CODE, "log": lambda line: tuple(line.split())}
    with house.capture(keys=keys) as run:
        save_codes(run, log, tmp_path)
    assert sources(house, "codes/17") == {"log/17/x", "log/17/z"}
    if not whole:
        return
    with house.capture(keys={**BY_CODE, "best": "value"}) as run:
        lines = run.context.textFile(str(tmp_path / "codes"), 3)
        lines.filter(lambda line: line.endswith(" 2")).saveAsTextFile(str(tmp_path / "best"))
        inside = run.trace("best").where("value = '17 2'").go_back_all()
        assert [row.value for row in inside.records().collect()] == ["17 2"]
    found = sources(house, "best/17 2")
    assert {each.partition("@")[0] for each in found} == {"codes/17", "log/17/x", "log/17/z"}
    house.check()
    kept = run.trace("codes").where("value LIKE '23 %'")
    assert kept.count() == 1
    assert kept.go_next_all().count() == 0
    assert run.trace("best").go_back_all().count() == 1
    for part in (tmp_path / "codes").glob("part-*"):
        part.write_text(part.read_text() + "99 1\n")
    with pytest.raises(BadInput, match="is not the file that the job read"):
        kept.records()


@pytest.mark.long
def test_a_key_that_is_missing_or_repeated_is_an_error(
    houses: Callable[..., House], log: str, tmp_path: Path
) -> None:
    def capture(name: str, key: Any) -> None:
        with houses().capture(keys={name: key}) as run:
            run.context.textFile(log, 2).saveAsTextFile(str(tmp_path / name))

    with pytest.raises(BadInput, match="The key of written is NULL in 1 of its rows"):
        capture("written", lambda line: None if line == "5 x" else line)
    with pytest.raises(BadInput, match="The key of twice is not unique"):
        capture("twice", lambda line: line[:2])
    with (
        pytest.raises(BadInput, match="The key of log is not unique"),
        houses().capture(keys={"log": lambda line: line.split()[1]}) as run,
    ):
        run.context.textFile(log, 2).saveAsTextFile(str(tmp_path / "copy"))
    with pytest.raises(UsageError, match="an RDD has no columns"):
        capture("columns", "id")


@pytest.mark.long
def test_whole_lines_are_keys_of_rdds_and_data_frames(
    houses: Callable[..., House], spark: SparkSession, log: str, tmp_path: Path
) -> None:
    house = houses()
    with house.capture(keys={"log": "value", "copy": "value"}) as run:
        run.context.textFile(log, 2).saveAsTextFile(str(tmp_path / "copy"))
    with house.capture(keys={"copy": "value", "again": "value"}):
        spark.read.text(str(tmp_path / "copy")).write.text(str(tmp_path / "again"))
    with house.capture(keys={"again": "value", "last": "value"}) as run:
        run.context.textFile(str(tmp_path / "again"), 2).saveAsTextFile(str(tmp_path / "last"))
    found = {each.partition("@")[0] for each in sources(house, "last/23 y")}
    assert found == {"again/23 y", "copy/23 y", "log/23 y"}


def test_keys_are_texts_as_data_frames_write_them() -> None:
    assert text_of(-3) == "-3"
    assert text_of(("a", date(2026, 1, 2), 7)) == "a/2026-01-02/7"
    assert text_of(None) is text_of(("a", None)) is None
    for wrong in (1.5, True, datetime(2026, 1, 1), [1]):
        with pytest.raises(TypeError, match="Give an integer, a string or a date"):
            text_of(wrong)
