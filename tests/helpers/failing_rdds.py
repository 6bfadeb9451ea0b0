"""A program that saves RDDs with capture while tasks fail, are repeated, or run twice at once.

A process can have only one context of PySpark, so the tests run this file as a separate process. It
fails with a traceback if the lineage of any output line is not exactly what the test's interpreter
finds, if the number of associations differs from that of a run without failures, or if a cursor
finds rows other than the expected ones.
"""

import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from benchmarks.cluster.task_places import Attempt, attempts
from helpers.rdd_captured import Rows, rows_of, save
from helpers.rdd_programs import Followed
from helpers.trace_check import rows_of as rows_at
from provhouse.capturing.rdds import entering, leaving
from provhouse.capturing.reading.description import CapturedWrite
from provhouse.capturing.reading.finished import outputs_of
from provhouse.capturing.reading.rdd_output import rdd_output_of
from provhouse.capturing.reading.traced_rows import traced
from provhouse.capturing.walks.cursor import Cursor
from provhouse.capturing.walks.flow import CapturedFlow

LINES, KEYS = 120, 7
Event = Callable[[int], None]
"""A function that is called with the number of each line, or with each key."""
CONF = {
    "spark.executor.memory": "512m",
    "spark.speculation.interval": "20ms",
    "spark.speculation.quantile": "0.25",
    "spark.speculation.multiplier": "1.5",
}


def nothing(number: int) -> None:
    """Do nothing at a record."""


def program(below: Event, above: Event) -> Callable[[Callable[[str], Any]], Any]:
    """Return a program with two shuffles.

    It calls ``below`` at each record before the shuffles, and ``above`` at each record after them.
    """

    def at(event: Event) -> Callable[[Any], Any]:
        def passed(pair: Any) -> Any:
            event(pair[0])
            return pair

        return passed

    def run(opened: Callable[[str], Any]) -> Any:
        lines = opened("t").map(int).map(lambda number: (number, number)).map(at(below))
        keyed = lines.map(lambda pair: (pair[0] % KEYS, pair[1]))
        sums = keyed.reduceByKey(lambda one, two: one + two)
        both = sums.join(keyed.filter(lambda pair: pair[1] < 2 * KEYS)).map(at(above))
        return both.mapValues(lambda values: sum(values))

    return run


def failing(folder: Path, name: str, number: int, harm: Callable[[], None]) -> Event:
    """Return an event that, once only, calls ``harm`` and fails at the record ``number``."""
    mark = str(folder / name)

    def event(found: int) -> None:
        if found == number:
            try:
                os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return
            harm()
            raise RuntimeError("a planted failure")

    return event


def losing(folder: Path) -> Callable[[], None]:
    """Return a function that removes the output of all tasks that ran before a shuffle."""
    root = str(folder)

    def lose() -> None:
        for place, _, files in os.walk(root):
            for file in files:
                if file.startswith("shuffle_"):
                    os.unlink(os.path.join(place, file))

    return lose


def slow(number: int) -> Event:
    """Return an event that takes long at the record ``number`` on the first worker."""

    def event(found: int) -> None:
        if found == number and "worker-1" in os.getcwd():
            time.sleep(6)

    return event


class Jobs:
    """A session, and the checks of the programs that it runs."""

    def __init__(self, folder: Path, master: str, conf: dict[str, str], cursors: bool) -> None:
        self.cursors = cursors
        builder = SparkSession.builder.master(master)
        for name, value in {**CONF, **conf}.items():
            builder = builder.config(name, value)
        self.spark, self.folder = builder.getOrCreate(), folder
        (folder / "t.txt").write_text("".join(f"{number}\n" for number in range(LINES)))
        followed = Followed.of("t", [str(number) for number in range(LINES)])
        made = program(nothing, nothing)(lambda _: followed)
        self.right: Rows = Counter((repr(value), lines) for value, lines in made.records)
        self.associations = associations(self.saved("clean", nothing, nothing))

    def saved(self, name: str, below: Event, above: Event) -> CapturedWrite:
        """Save the result of the program, check its lineage, and return the write."""
        run, path = program(below, above), str(self.folder / "t.txt")

        def opened(context: Any) -> Any:
            return run(lambda _: context.textFile(path, 4))

        (write,) = save(self.spark, self.folder / name, {"out": opened}).values()
        assert rows_of(write) == self.right
        return write

    def check_cursors(self, write: CapturedWrite) -> None:
        """Fail unless each line leads back to its sources, and all sources lead to all lines."""
        flow = CapturedFlow(self.spark, outputs_of([write]))
        every = Cursor.at_table(flow, "out")
        assert every.count() == sum(self.right.values())
        found: Rows = Counter()
        for row in every.records().distinct().collect():
            at = row["value"].replace("'", "''")
            sources = rows_at(every.where(f"value = '{at}'").go_back_all())
            found[row["value"], frozenset((Path(path).stem, line) for path, line in sources)] += 1
        assert set(found) == set(self.right)
        assert rows_at(every.go_back_all().go_next_all()) == rows_at(every)

    def harmed(self, name: str, below: Event = nothing, above: Event = nothing) -> list[Attempt]:
        """Save the result while events happen, check it, and return the attempts at its tasks."""
        before = len(attempts(self.spark.sparkContext))
        write = self.saved(name, below, above)
        assert associations(write) == self.associations
        if self.cursors:
            self.check_cursors(write)
        return attempts(self.spark.sparkContext)[before:]


def associations(write: CapturedWrite) -> int:
    """Return the number of pairs that an ingest finds, each of a row and a source row or group."""
    found = traced(rdd_output_of(write), write.folder)
    pairs = sum(len(each.at) for each in found.direct_pairs())
    return pairs + sum(each.sources.count for each in found.grouped)


def failed(made: Sequence[Attempt]) -> bool:
    """Return whether any task has failed and then succeeded."""
    lost = {each.task for each in made if each.status == "FAILED"}
    return bool(lost & {each.task for each in made if each.status == "SUCCESS"})


def main(what: str, folder: Path, master: str) -> None:
    """Run all programs of the kind ``what``."""
    modules: tuple[Any, ...] = (entering, leaving)
    for module in modules:  # small blocks, so that a task writes several times
        module.BLOCK = 8
    leaving.CHUNK = 4
    local = folder / "local"
    local.mkdir()
    conf = (
        {"spark.local.dir": str(local)} if what != "speculation" else {"spark.speculation": "true"}
    )
    jobs, marks = Jobs(folder, master, conf, cursors=what != "failures"), folder
    if what == "speculation":
        below = jobs.harmed("slow-below", below=slow(LINES - 1))
        above = jobs.harmed("slow-above", above=slow(KEYS - 1))
        for made in (below, above):
            assert any(each.second and each.status == "SUCCESS" for each in made)
        return
    late, last = LINES - 1, KEYS - 1
    assert failed(jobs.harmed("below", below=failing(marks, "1", late, lambda: None)))
    assert failed(jobs.harmed("above", above=failing(marks, "2", last, lambda: None)))
    if what == "lost stages":
        made = jobs.harmed("lost", above=failing(marks, "3", last, losing(local)))
        assert any(each.retry for each in made)


if __name__ == "__main__":
    kind, place, given = sys.argv[1:]
    main(kind, Path(place), given)
