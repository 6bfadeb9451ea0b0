"""Use one warehouse in every way, on a given Spark master, and print what came out.

    cluster_run.py SCENARIO

SCENARIO is a JSON file with the fields of ``Scenario``. Each line of the output is JSON: either the
beginning of a step, or its name, seconds and result. PySpark has one context in a process, so each
master needs a process of its own.
"""

import json
import os
import resource
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any

from cluster_tasks import last_job, tasks_after

import provhouse
from provhouse.changes import compact as compacting
from provhouse.changes.retract import Selection, retract
from provhouse.ingest import ingest as ingesting
from provhouse.model.answer import Answer
from provhouse.model.progress import Silent, Stopwatch
from provhouse.model.question import Direction, Method, Question
from provhouse.model.settings import Settings
from provhouse.query.ask import Asker
from provhouse.serve.process import down, up
from provhouse.spark import session
from provhouse.store.warehouse.layout import Layout

DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")
METHODS: tuple[Method, ...] = ("rq", "ccprov", "csprov")
AGAIN = 3
"""The number of times that ``count_tasks`` asks each question."""


@dataclass(frozen=True)
class Scenario:
    """The work of a run: ingest files one after the other, ask, and change the warehouse."""

    settings: dict[str, Any]
    files: list[str]
    items: list[str]
    """The items to ask for."""
    retract: str = ""
    """An item to retract, after which all questions are asked again; empty for none."""
    compact: bool = False
    server: bool = False
    tasks: bool = False
    """Whether to ask again, and print which tasks Spark ran for each question, and where."""
    methods: Sequence[Method] = METHODS


def main(path: Path) -> None:
    """Carry out a scenario; after a ``begin`` of a step, the caller may kill a worker."""
    scenario = Scenario(**json.loads(path.read_text(encoding="utf-8")))
    settings = Settings.load(scenario.settings)
    ingesting.SMALL_BYTES = compacting.SMALL = 0  # so that all tasks run in Spark
    with Step("executors") as step:
        context = session.spark(settings, Layout(settings.warehouse).logs).sparkContext
        hidden = tempfile.mkdtemp(dir="/tmp")
        count = context.defaultParallelism
        step.result = sorted(set(context.parallelize([hidden] * count, count).map(look).collect()))
        os.rmdir(hidden)
    for number, file in enumerate(scenario.files):
        with Step("append" if number else "ingest") as step:
            summary = ingesting.ingest([Path(file)], settings, progress=Steps())
            step.result = [summary.new_triples, summary.new_items, summary.sets]
    ask(scenario, settings, "")
    if scenario.tasks:
        count_tasks(scenario, settings)
    if scenario.retract:
        with Step("retract") as step:
            gone = retract(Selection(items=[scenario.retract]), settings, Silent())
            step.result = gone.triples
        ask(scenario, settings, " after the retraction")
    if scenario.compact:
        with Step("compact") as step:
            step.result = compacting.compact(settings, Steps()).triples
        ask(scenario, settings, " after the compaction")
    session.end()  # a cluster may have no cores for two sessions
    if scenario.server:
        serve(scenario, settings)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    tell(step="driver", seconds=0, result=peak)


def look(hidden: str) -> tuple[str, bool, str]:
    """Return an executor's working folder, whether it sees a folder, and where provhouse is."""
    import provhouse.model

    return os.getcwd(), os.path.exists(hidden), provhouse.model.__path__[0]


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
    """Ask each question several times by CSProv; print its partitions, and the tasks of each time.

    The process must keep no partitions (``hot_mb`` 0), so that all are in Spark's cache.
    """
    with Asker(settings, Silent()) as asker, Step("tasks") as step:
        context, found = asker.spark.session.sparkContext, []
        for item in scenario.items:
            for direction in DIRECTIONS:
                times = []
                for _ in range(AGAIN):
                    last = last_job(context)
                    answer = asker.ask(item, direction, "csprov")
                    times.append(tasks_after(context, last))
                found.append([answer.read.partitions, times])
        step.result = [len(asker.snapshot.partitions), found]


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


class Step:
    """A context manager that prints the beginning of a step, then its seconds and result."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.result: Any = None

    def __enter__(self) -> "Step":
        tell(begin=self._name)
        self._began = perf_counter()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            tell(step=self._name, seconds=perf_counter() - self._began, result=self.result)


class Steps(Silent):
    """A receiver of progress that prints the beginning of each step of an ingest."""

    def begin(self, step: str) -> None:
        """Print the step."""
        tell(begin=step)


def tell(**said: object) -> None:
    """Print a line."""
    print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
