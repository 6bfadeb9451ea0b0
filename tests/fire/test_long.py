"""Kill commands at all fault points and at random moments: ``make test-long`` (takes hours).

Each round that passes adds a line to the results file. If the tests are started again, the recorded
rounds are skipped.
"""

import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from fire.rounds import Round, kills, points

from helpers.cold import Cold
from helpers.cuts import at_moment, at_point, victims
from helpers.fire import Fire, Outcome
from helpers.warm import Warm
from provhouse.ingest.ingest import SMALL_BYTES

pytestmark = pytest.mark.long

RESULTS = Path(os.environ.get("RESULTS", ".long/rounds.jsonl"))
MINUTES = float(os.environ.get("MINUTES", "110"))
PART, PARTS = int(os.environ.get("PART", "1")), int(os.environ.get("PARTS", "1"))
ROUNDS_OF_ONE = 15
"""The number of rounds in one warehouse. More rounds would make commands slow."""
_began = time.monotonic()


def _done() -> set[str]:
    with suppress(FileNotFoundError):
        return {json.loads(line)["round"] for line in RESULTS.read_text().splitlines()}
    return set()


def _mine(rounds: list[Round]) -> list[Round]:
    done = _done()
    return [one for one in rounds[PART - 1 :: PARTS] if one.name not in done]


@pytest.fixture(scope="module")
def fires() -> list[Fire]:
    """A list with the warehouse for the next round; empty if the round needs a new warehouse."""
    return []


@pytest.fixture
def play(
    fires: list[Fire], home: Path, warm: Warm, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Round, Callable[[Fire], Outcome]], None]:
    """A function that runs a round, and records the outcome if the round passed."""

    def play(one: Round, run: Callable[[Fire], Outcome]) -> None:
        if time.monotonic() - _began > MINUTES * 60:
            pytest.skip("the time is up; the next run continues here")
        if not fires:
            folder = tmp_path_factory.mktemp("fire")
            fires.append(Fire(folder / "warehouse", home, warm, seed=1 + time.time_ns() % 10**6))
        fire = fires.pop()
        began = time.monotonic()
        outcome = run(fire)
        took = round(time.monotonic() - began, 1)
        if len(fire.generations()) < 2 * ROUNDS_OF_ONE:
            # without it, the next round gets a new warehouse, as after a failure
            fires.append(fire)
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        with RESULTS.open("a") as file:
            row = {"round": one.name, **one._asdict(), **outcome._asdict(), "seconds": took}
            file.write(json.dumps(row) + "\n")

    return play


Play = Callable[[Round, Callable[[Fire], Outcome]], None]


@pytest.mark.parametrize("one", _mine(points()), ids=lambda one: one.name)
def test_a_kill_at_a_fault_point_is_survived(one: Round, play: Play, home: Path) -> None:
    fault = one.point if "=" in one.point else f"{one.point}=stop"

    def run(fire: Fire) -> Outcome:
        if one.change == "recovery":
            leave_something(fire, one.point)
        change = "ingest" if one.change == "recovery" else one.change
        fire.grow()
        fire.padding = SMALL_BYTES if one.victim == "Spark" else 0
        cut = at_point(fire.start, fault, victims(home)[one.victim], Cold() if one.cold else None)
        outcome = fire.round(change, cut)
        fire.padding = 0
        assert outcome.reached
        return outcome

    play(one, run)


def leave_something(fire: Fire, point: str) -> None:
    """Kill a writer so that it leaves an uncommitted base, or uncommitted rows and names."""
    fire.grow()
    command, _ = fire.change("replace" if point == "base removed" else "ingest")
    fire.start(*command, fault="load=stop").awaits().kill()


@pytest.mark.parametrize("one", _mine(kills()), ids=lambda one: one.name)
def test_a_kill_at_a_random_moment_is_survived(one: Round, play: Play, home: Path) -> None:
    def run(fire: Fire) -> Outcome:
        began = time.monotonic()
        fire.ingest()
        wait = 1.2 * Random(one.point).random() * (time.monotonic() - began)
        return fire.round(one.change, at_moment(fire.start, fire.home, wait, one.victim))

    play(one, run)
