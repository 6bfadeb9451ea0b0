"""Random sequences of changes of every kind, some killed. Each generation's triples are checked.

Hypothesis chooses the sequences: a few by default, and many in ``make test-long``. The model in
``helpers/model.py`` has the expected state. A failure prints its seed, and ``SEQUENCE=seed pytest
-m long tests/fire/test_sequences.py`` repeats that long sequence.
"""

import os
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import NamedTuple

import hypothesis
import pytest
from fire.rounds import POINTS
from hypothesis import HealthCheck, Phase, assume
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from helpers.graphs import graph
from helpers.model import Model
from helpers.oracle import Triple
from helpers.warehouse import House
from helpers.warm import Warm
from provhouse.care import restage
from provhouse.care.check import check
from provhouse.commit.erasing.erasure_file import read_erasure
from provhouse.commit.single_writer import only_writer
from provhouse.model.progress import Silent
from provhouse.model.question import Method
from provhouse.model.settings import Settings
from provhouse.store.warehouse.commits import generations
from provhouse.store.warehouse.ids import read_ids

SEQUENCE = os.environ.get("SEQUENCE")
MINUTES = float(os.environ.get("MINUTES", "110")) / 10
"""The number of minutes for long sequences: a tenth of the time of ``make test-long``."""
DEFAULT = (203, 197)
"""The seeds of the default sequences.

Together, the sequences cover most kinds of changes and kills.
"""
STEPS, LONG_STEPS = 7, 20
"""The number of steps of a default sequence and of a long one, including the first ingest."""
CHANGES = (
    "ingest", "ingest", "ingest", "replace", "retract", "retract", "retract", "rollback",
    "rollback", "compact", "prune", "forget",
)  # fmt: skip
"""The kinds of changes.

Each kind has a method of ``Sequence``, and fault points in ``rounds.POINTS``.
"""
METHODS: tuple[Method, ...] = ("csprov", "rq", "ccprov")
WEIGHTS = (8, 1, 1)
"""The weights of the query methods in random choices.

``rq`` and ``ccprov`` are chosen less often, because they first load all triples of a generation.
"""
ASKED = 2
"""The number of items to ask about after each change.

Each item is asked about upstream and downstream.
"""
Seeds = st.integers(0, 2**32 - 1)


class Change(NamedTuple):
    """One change, which is made to the warehouse and to the model."""

    made: Callable[[], object]
    """A function that makes the change in the warehouse and in the model, in this process."""
    command: list[object]
    """The command that makes the same change in the warehouse."""
    applied: Callable[[], None]
    """A function that changes the model only, after a command has changed the warehouse."""


class Sequence(RuleBasedStateMachine):
    """One warehouse and its model. There are few files, runs and items, so that changes overlap."""

    def __init__(
        self, houses: Callable[..., House], home: Path, warm: Warm, done: Counter[str]
    ) -> None:
        super().__init__()
        self.houses, self.home, self.warm, self.done = houses, home, warm, done

    @initialize(seed=Seeds)
    def begin(self, seed: int) -> None:
        assume(seed)  # Hypothesis starts with the seed 0, which tests little
        random = Random(seed)
        theta, pack = random.choice([3, 10]), random.choice([0, 2, 5])
        house = self.houses(theta=theta, pack=pack, partition_triples=12, neo4j_home=self.home)
        self.model = Model(house)
        known = [row for _ in range(6) for row in graph(random.randrange(10**6)).triples]
        known += [Triple(random.choice(known).dst, random.choice(known).src, "x") for _ in "12345"]
        self.rows = sorted(set(known))
        self.model.ingest(a=random.sample(self.rows, min(20, len(self.rows))))

    @rule(kind=st.sampled_from(CHANGES), killed=st.sampled_from((False, True)), seed=Seeds)
    def change(self, kind: str, killed: bool, seed: int) -> None:
        """Make one change, either in this process or by a command that is killed.

        No repair follows.
        """
        random = Random(seed)
        change: Change | None = getattr(self, f"_{kind}")(random)
        if change is None:
            return
        if killed:
            point = random.choice(POINTS[kind])
            self._cut_off(change, point if "=" in point else f"{point}=stop")
        else:
            change.made()
        self.model.pruned()  # a writer may have completed a prune that was killed
        self._ask(random)
        self.done[f"{kind} killed" if killed else kind] += 1

    def teardown(self) -> None:
        """Compare all stored rows with the model at the end, and check the warehouse."""
        if sys.exc_info()[0] is None and hasattr(self, "model"):
            assert self.model.rows() == self.model.now.shown
            assert check(self.model.house.settings, Silent(), deep=True).damages == ()

    def _cut_off(self, change: Change, fault: str) -> None:
        """Kill a change's command; fail unless the change is made completely or not at all.

        If the command reports success, the change must have been made.
        """
        layout = self.model.house.layout
        before = generations(layout)
        child = self.warm.start(
            environment(self.model.house), *change.command, fault=fault
        ).awaits()
        if child.stopped:
            child.kill()
        assert child.status in (0, -9), child.done
        assert "Traceback" not in child.done.err
        made = {*generations(layout)} - {*before}
        assert len(made) <= 1
        erasure = read_erasure(layout)
        if made or child.status == 0 or (erasure and erasure.items):
            change.applied()
        if erasure:  # answers may show names until a writer completes the erasure
            with only_writer(self.model.house.settings, Silent()):
                pass

    def _ask(self, random: Random) -> None:
        """Ask about random items, as of the current generation and as of a random one.

        The items are chosen from all items that were ever ingested.
        """
        states = sorted(self.model.states)[1:]
        known = sorted({item for state in self.model.states.values() for item in state.named})
        asked = random.sample(known, min(ASKED, len(known)))
        methods = random.choices(METHODS, WEIGHTS)
        if states:
            self.model.assert_answers(asked, methods, *{states[-1], random.choice(states)})

    def _files(self, random: Random, least: int) -> dict[str, list[Triple]]:
        names = random.sample("abc", random.randint(1, 2))
        return {n: random.sample(self.rows, random.randint(least, 30)) for n in names}

    def _ingest(self, random: Random) -> Change:
        run, files = random.choice([None, "x", "y"]), self._files(random, 0)
        command = ["ingest", *self.model.write(files), *(["--run", run] if run else [])]
        model = self.model
        return Change(
            partial(model.ingest, run, **files), command, partial(model.ingested, run, files)
        )

    def _replace(self, random: Random) -> Change:
        files = self._files(random, 1)
        command = ["ingest", *self.model.write(files), "--replace"]
        model = self.model
        return Change(partial(model.replace, **files), command, partial(model.replaced, files))

    def _retract(self, random: Random) -> Change | None:
        """Retract a file, a run, or items that have live triples."""
        model = self.model
        origins = sorted({o for some in model.now.live.values() for o in some}, key=str)
        if not origins:
            return None
        run, file = random.choice(origins)
        if model.now.named and random.random() < 0.4:
            items = random.choices(model.now.named, k=2)
            command: list[object] = ["retract", "--", *items]
            return Change(partial(model.retract, *items), command, partial(model.retracted, *items))
        named = {"run": run} if run and random.random() < 0.5 else {"file": file}
        path = model.house.settings.warehouse.parent / f"{file}.csv"
        command = ["retract", *(["--run", run] if "run" in named else ["--file", path])]
        return Change(partial(model.retract, **named), command, partial(model.retracted, **named))

    def _rollback(self, random: Random) -> Change | None:
        """Roll back to a state that is not pruned, which may be the empty warehouse."""
        model = self.model
        pruned = read_ids(model.house.layout).pruned
        if not model.before or 0 < model.before[-1] <= pruned:
            return None
        return Change(model.rollback, ["rollback"], model.rolled_back)

    def _compact(self, random: Random) -> Change | None:
        if not self.model.now.live:
            return None
        return Change(self.model.compact, ["compact"], self.model.compacted)

    def _forget(self, random: Random) -> Change | None:
        model = self.model
        if not model.now.named:
            return None
        items = random.sample(model.now.named, min(random.choice([1, 1, 3]), len(model.now.named)))
        return Change(
            partial(model.forget, *items),
            ["forget", "--", *items],
            partial(model.forgotten, *items),
        )

    def _prune(self, random: Random) -> Change:
        keep = random.randint(1, 4)
        return Change(partial(self.model.prune, keep), ["prune", "--keep", keep], self.model.pruned)


def environment(house: House) -> dict[str, str]:
    """Return the environment for a command, with the settings of a warehouse as variables."""
    values = {field.name: getattr(house.settings, field.name) for field in fields(Settings)}
    return {**os.environ, **{f"PROVHOUSE_{name.upper()}": str(values[name]) for name in values}}


@pytest.fixture
def play(
    houses: Callable[..., House], home: Path, warm: Warm, monkeypatch: pytest.MonkeyPatch
) -> Callable[[int, int], None]:
    """A function that runs the sequence of changes that a seed determines."""
    monkeypatch.setattr(restage, "CHUNK_TRIPLES", 20)
    done: Counter[str] = Counter()

    class Here(Sequence):
        def __init__(self) -> None:
            super().__init__(houses, home, warm, done)

    def play(seed: int, steps: int) -> None:
        settings = hypothesis.settings(
            max_examples=1,
            stateful_step_count=steps,
            database=None,
            phases=[Phase.generate],  # shrinking would take hours and find nothing
            suppress_health_check=list(HealthCheck),
        )
        try:
            run_state_machine_as_test(hypothesis.seed(seed)(Here), settings=settings)
        except BaseException:
            print(f"SEQUENCE={seed}, {steps} steps; done before: {dict(done)}")
            raise
        print(f"SEQUENCE={seed}: {dict(done)}")

    return play


@pytest.mark.long  # tests/care/test_retract.py and test_points.py have the short forms
@pytest.mark.parametrize("seed", DEFAULT)
def test_changes_in_random_order_show_the_right_triples(
    play: Callable[[int, int], None], seed: int
) -> None:
    play(seed, STEPS)


@pytest.mark.long
def test_long_sequences_of_changes_show_the_right_triples(play: Callable[[int, int], None]) -> None:
    """Each test run uses new sequences, unless ``SEQUENCE`` gives the seed of one sequence."""
    if SEQUENCE:
        play(int(SEQUENCE), LONG_STEPS)
        return
    until = time.monotonic() + 60 * MINUTES
    for seed in count(time.time_ns() % 10**9):
        play(seed, LONG_STEPS)
        if time.monotonic() > until:
            return
