"""Running a function over arguments as one Spark job, and how far that is."""

import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from provhouse.model.arrays import I64
from provhouse.model.errors import ProvhouseError
from provhouse.model.progress import Progress

from .session import working
from .workers import freeze_imports

if TYPE_CHECKING:
    from pyspark import SparkContext

Arg = TypeVar("Arg")
Result = TypeVar("Result")

LOOK_SECONDS = 0.25
"""How often it is looked how far tasks are."""


@dataclass(frozen=True)
class Sizes:
    """How much each task has to do, and a file through which it tells what it has done.

    Tasks are unlike and some are long, so that how many have ended says little.
    """

    file: Path
    of: Sequence[int]
    unit: str = ""
    """If it is one that people know."""

    def mine(self, number: int) -> tuple[I64, int]:
        """Where this task tells it, an array of one, and its size."""
        place = np.memmap(self.file, np.int64, "r+", offset=8 * number, shape=(1,))
        return place, self.of[number]

    def prepare(self) -> None:
        """Nothing is done."""
        np.zeros(len(self.of), np.int64).tofile(self.file)

    def done(self) -> tuple[int, int, str]:
        """How much is done of how much, and the unit."""
        return int(np.fromfile(self.file, np.int64).sum()), sum(self.of), self.unit


class _Running:
    """The task that runs in this process, of which Spark runs one at a time in each worker.

    Spark hands a worker the function and its argument alone; the code of a task is far below it.
    """

    def __init__(self) -> None:
        self.share: tuple[I64, int] | None = None
        """Where the task tells how far it is, and its size."""


_running = _Running()


def report_progress(part: float) -> None:
    """Let whoever waits know which part, up to 1, is behind the task that runs here."""
    if _running.share:
        mine, size = _running.share
        mine[0] = part * size


@dataclass(frozen=True)
class _Failed:
    error: Exception


class _Guarded(Generic[Arg, Result]):
    """A task whose known errors come back as values: Spark would turn them into text.

    Known are those of provhouse, and those that the machine makes: a full disk, no memory.
    """

    def __init__(self, task: Callable[[Arg], Result], sizes: Sizes | None) -> None:
        self.task = task
        self.sizes = sizes

    def __call__(self, numbered: tuple[int, Arg]) -> Result | _Failed:
        number, argument = numbered
        try:
            _running.share = self.sizes.mine(number) if self.sizes else None
            result = self.task(argument)
            report_progress(1)
            return result
        except (ProvhouseError, OSError, MemoryError) as error:
            error.add_note(traceback.format_exc())  # which does not travel by itself
            return _Failed(error)
        finally:
            _running.share = None
            freeze_imports()


def run_tasks(
    context: "SparkContext | None",
    task: Callable[[Arg], Result],
    arguments: Sequence[Arg],
    progress: Progress,
    sizes: Sizes | None = None,
) -> list[Result]:
    """Run ``task`` on every argument as one Spark job, one task each; results in their order.

    Without a context they run here, one after the other. A known error that a task raises is raised
    here, the one of the first argument first. Raises Unavailable if Spark ends meanwhile.
    """
    if not arguments:
        return []
    if context is None:
        return list(_here(task, arguments, progress))
    if sizes:
        sizes.prepare()
    numbered = list(enumerate(arguments))
    with working(), _Watch(context, len(arguments), progress, sizes):
        guarded = _Guarded(task, sizes)
        results = context.parallelize(numbered, len(numbered)).map(guarded).collect()
    done: list[Result] = []
    for result in results:
        if isinstance(result, _Failed):
            raise result.error
        done.append(result)
    return done


def _here(
    task: Callable[[Arg], Result], arguments: Sequence[Arg], progress: Progress
) -> Iterator[Result]:
    for done, argument in enumerate(arguments):
        progress.advance(done, len(arguments))
        yield task(argument)


class _Watch:
    """Tells how far the job that runs is, while it runs."""

    def __init__(
        self, context: "SparkContext", total: int, progress: Progress, sizes: Sizes | None
    ) -> None:
        self._tracker = context.statusTracker()
        self._total = total
        self._progress = progress
        self._look = sizes.done if sizes else self._ended
        self._watched = total > 1 or sizes is not None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)

    def __enter__(self) -> None:
        if self._watched:
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._watched:
            self._thread.join()

    def _follow(self) -> None:
        with suppress(Exception):  # if Spark ends, the job that is looked at says so
            while not self._over.wait(LOOK_SECONDS):
                self._progress.advance(*self._look())

    def _ended(self) -> tuple[int, int, str]:
        stages = [self._tracker.getStageInfo(s) for s in self._tracker.getActiveStageIds()]
        return sum(stage.numCompletedTasks for stage in stages if stage), self._total, ""
