"""Run many kinds of work on one warehouse with a given Spark master, and print the results.

    cluster_run.py SCENARIO

SCENARIO is a JSON file with the fields of ``Scenario``. Each line of the output is JSON. It either
announces a step, which begins when a line of input arrives, or has the name, seconds and result of
a finished step. PySpark has one context in a process, so each master needs a process of its own.
"""

import json
import os
import resource
import socket
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import Any

from pyspark import SparkContext

import provhouse
from benchmarks.cluster.task_places import await_task, count_lost, last_job, tasks_after
from provhouse.care import compact as compacting
from provhouse.care.retract import Retracting, retract
from provhouse.ingest import ingest as ingesting
from provhouse.model.answer import Answer
from provhouse.model.progress import Silent, Stopwatch
from provhouse.model.question import Direction, Method, Question
from provhouse.model.settings import Settings
from provhouse.query.lineage.ask import Asker
from provhouse.runtime.spark import session
from provhouse.serve.server_process import down, up
from provhouse.store.cache import partition_cache
from provhouse.store.warehouse.layout import Layout

DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")
METHODS: tuple[Method, ...] = ("rq", "ccprov", "csprov")
AGAIN = 3
"""The number of times that ``count_tasks`` asks each question."""
HELD = "a task is on "
"""In a step of ``Scenario.lose``, this string and a host are printed if a task runs on the host."""


@dataclass(frozen=True)
class Scenario:
    """The work of a run: ingest files one after the other, ask, and change the warehouse."""

    settings: dict[str, Any]
    files: list[str]
    items: list[str]
    """The items to ask about."""
    retract: str = ""
    """An item to retract, after which all questions are asked again; empty for none."""
    compact: bool = False
    server: bool = False
    tasks: bool = False
    """Whether to ask each question several times, and print how many tasks Spark ran for it."""
    methods: Sequence[Method] = METHODS
    lose: Sequence[str] = ()
    """The steps in which a worker is lost.

    The caller suspends all workers before such a step, and kills one of them when ``HELD`` is
    printed.
    """


def main(path: Path) -> None:
    """Run a scenario. The caller may kill a worker after the beginning of a step was printed."""
    scenario = Scenario(**json.loads(path.read_text(encoding="utf-8")))
    settings = Settings.load(scenario.settings)
    # so that Spark runs every task
    ingesting.SMALL_BYTES = compacting.SMALL = partition_cache.FEW = 0
    with Step("executors") as step:
        context = session.spark(settings, Layout(settings.warehouse).logs).sparkContext
        step.result = look(context)
    if scenario.lose:
        losing.append(Losing(context, scenario.lose))
    for number, file in enumerate(scenario.files):
        with Step("append" if number else "ingest") as step:
            summary = ingesting.ingest([Path(file)], settings, progress=Steps())
            step.result = [summary.new_triples, summary.new_items, summary.sets]
    ask(scenario, settings, "")
    if scenario.tasks:
        count_tasks(scenario, settings)
    if scenario.retract:
        with Step("retract") as step:
            gone = retract(Retracting(items=[scenario.retract]), settings, Silent())
            step.result = gone.triples
        ask(scenario, settings, " after the retraction")
    if scenario.compact:
        with Step("compact") as step:
            step.result = compacting.compact(settings, Steps()).triples
        ask(scenario, settings, " after the compaction")
    for each in losing:
        tell(step="lost", seconds=0, result=each.counted())
    session.end()  # a cluster may have no cores for two sessions
    if scenario.server:
        serve(scenario, settings)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    tell(step="driver", seconds=0, result=peak)


def look(context: SparkContext) -> list[tuple[str, bool, bool]]:
    """Return executors' working folders, and what these executors share with the driver.

    The two flags state whether an executor shares the driver's /tmp, and its loopback.
    """
    count = context.defaultParallelism
    with closing(socket.socket()) as listening, tempfile.TemporaryDirectory(dir="/tmp") as hidden:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        here = (hidden, listening.getsockname()[1])
        return sorted(set(context.parallelize([here] * count, count).map(look_from).collect()))


def look_from(driver: tuple[str, int]) -> tuple[str, bool, bool]:
    """Return a task's working folder, and whether it can access the driver's folder and port."""
    folder, port = driver
    with closing(socket.socket()) as tried:
        reaches = not tried.connect_ex(("127.0.0.1", port))
    return os.getcwd(), os.path.exists(folder), reaches


def ask(scenario: Scenario, settings: Settings, when: str) -> None:
    """Ask for the lineage and the impact of each item, with each method."""
    with Asker(settings, Silent()) as asker:
        for method in scenario.methods:
            with Step(f"{method}{when}") as step:
                answers = [
                    asker.answer(Question(item, direction, method), Stopwatch(600))
                    for item in scenario.items
                    for direction in DIRECTIONS
                ]
                step.result = [content(answer) for answer in answers]


def count_tasks(scenario: Scenario, settings: Settings) -> None:
    """Ask each question several times by CSProv; count the partitions read, and each try's tasks.

    Before the first try, no partition has been read.
    """
    with Step("tasks") as step:
        found = []
        for item in scenario.items:
            for direction in DIRECTIONS:
                with Asker(settings, Silent()) as asker:
                    context, times = asker.spark.session.sparkContext, []
                    for _ in range(AGAIN):
                        last = last_job(context)
                        answer = asker.ask(item, direction, "csprov")
                        times.append(tasks_after(context, last))
                    found.append([answer.read.partitions, times])
                    stored = len(asker.snapshot.partitions)
        step.result = [stored, context.defaultParallelism, found]


def serve(scenario: Scenario, settings: Settings) -> None:
    """Ask a server, which starts its own Spark, for the lineage of each item."""
    with Step("server") as step:
        up(settings, Silent(), wait=True)
        try:
            given = {k: v for k, v in scenario.settings.items() if k != "warehouse"}
            with provhouse.open(settings.warehouse, **given) as warehouse:
                answers = [warehouse.lineage(item) for item in scenario.items]
                step.result = [
                    fingerprint(
                        ((item.item, item.depth) for item in answer.items),
                        ((t.src, t.dst, t.op) for t in answer.triples),
                    )
                    for answer in answers
                ]
        finally:
            down(settings.warehouse, Silent())


def content(answer: Answer) -> str:
    """Return the fingerprint of an answer."""
    items = answer.items.to_pydict()
    triples = answer.triples.to_pydict()
    return fingerprint(
        zip(items["item"], items["depth"], strict=True),
        zip(triples["src"], triples["dst"], triples["op"], strict=True),
    )


def fingerprint(items: Iterable[tuple[str, int]], triples: Iterable[tuple[str, str, str]]) -> str:
    """Return the number of items and triples, and a hash of them that ignores their order."""
    found, steps = sorted(items), sorted(triples)
    return f"{len(found)} {len(steps)} {sha256(repr((found, steps)).encode()).hexdigest()[:16]}"


class Losing:
    """Watches the steps in which a worker is lost, and counts the tasks that were lost with it."""

    def __init__(self, context: SparkContext, steps: Sequence[str]) -> None:
        self._context, self._left = context, set(steps)
        self._counted: list[tuple[int, int]] = []
        self._last: int | None = None
        """The last job before the current step; None unless a worker is lost in this step."""

    def begin(self, step: str) -> None:
        """In a step of ``Scenario.lose``, print ``HELD`` and the host on which a task runs."""
        if self._last is not None:
            self._counted.append(count_lost(self._context, self._last))
            self._last = None
        if step in self._left:
            self._left.remove(step)
            last = self._last = last_job(self._context)
            Thread(target=self._watch, args=(last,), daemon=True).start()

    def _watch(self, last: int) -> None:
        if host := await_task(self._context, lambda: self._last != last):
            tell(happens=f"{HELD}{host}")

    def counted(self) -> list[tuple[int, int]]:
        """Return two counts for each step: the lost tasks, and those of them that were repeated."""
        self.begin("")
        return self._counted


losing: list[Losing] = []


class Step:
    """A context manager that prints the beginning of a step, then its seconds and result."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.result: Any = None

    def __enter__(self) -> "Step":
        begin(self._name)
        self._began = perf_counter()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            tell(step=self._name, seconds=perf_counter() - self._began, result=self.result)


class Steps(Silent):
    """A progress display that prints the beginning of each step of an ingest."""

    def begin(self, step: str) -> None:
        """Print the step."""
        begin(step)


def begin(step: str) -> None:
    """Print the beginning of a step, and wait for a line of input from the caller."""
    tell(begin=step)
    sys.stdin.readline()
    for each in losing:
        each.begin(step)


def tell(**said: object) -> None:
    """Print the given values as a line of JSON."""
    sys.stdout.write(f"{json.dumps(said)}\n")  # at once, also from a thread
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
