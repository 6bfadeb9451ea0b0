"""The stopwatch counts program starts separately from the steps in which they occur."""

from time import sleep

import pytest

from provhouse.model import progress
from provhouse.model.progress import Stopwatch
from provhouse.output.phrases import steps
from provhouse.output.shown_result import rounded


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_SHORTEST_START", 0.05)


def test_a_start_is_apart_from_its_step() -> None:
    watch = Stopwatch()
    with watch.step("walk"):
        sleep(0.01)
        with watch.start("Neo4j"):
            sleep(0.1)
    with watch.step("fetch"), watch.start("Spark"):
        sleep(0.06)
    seconds = watch.total()
    assert list(seconds) == ["walk", "fetch", "start Neo4j", "start Spark", "total"]
    assert 0.01 <= seconds["walk"] < 0.1 <= seconds["start Neo4j"]
    assert seconds["fetch"] < 0.06 <= seconds["start Spark"]
    assert seconds["total"] >= 0.17
    assert list(rounded(seconds)) == ["walk", "fetch", "total"]


def test_a_connection_to_a_running_program_is_no_start() -> None:
    watch = Stopwatch()
    with watch.step("walk"), watch.start("Neo4j"):
        sleep(0.01)
    assert list(watch.total()) == ["walk", "total"]
    assert watch.seconds["walk"] >= 0.01


def test_an_inner_watch_reports_its_starts_to_the_outer_one() -> None:
    watch = Stopwatch()
    with watch.step("from"):
        inner = watch.inner()
        with inner.step("walk"), inner.start("Neo4j"):
            sleep(0.1)
    assert watch.total()["start Neo4j"] >= 0.1 > watch.seconds["from"]


def _fail_after(seconds: float) -> None:
    sleep(seconds)
    raise TimeoutError


def test_a_failed_start_is_counted() -> None:
    watch = Stopwatch()
    with pytest.raises(TimeoutError), watch.step("walk"), watch.start("Neo4j"):
        _fail_after(0.1)
    assert watch.total()["start Neo4j"] >= 0.1 > watch.seconds["walk"]


def test_starts_follow_the_steps_in_words() -> None:
    seconds = {"walk": 0.2, "fetch": 0.1, "start Neo4j": 12.0, "start Spark": 20.04, "total": 32.34}
    assert steps(seconds) == (
        "300 ms (walk 200 ms, fetch 100 ms), after starting Neo4j in 12.0 s and Spark in 20.0 s"
    )
    assert steps({"walk": 0.2, "total": 0.2}) == "200 ms (walk 200 ms)"
