"""Run a function on many arguments as one Spark job, and report its progress."""

import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from provhouse.model.arrays import I64
from provhouse.model.errors import ProvhouseError
from provhouse.model.progress import Progress

from ..storage import create_shared_numbers, shared_number, shared_numbers, written_whole
from .session import working
from .workers import freeze_imports

if TYPE_CHECKING:
    from pyspark import SparkContext

Arg = TypeVar("Arg")
Result = TypeVar("Result")

LOOK_SECONDS = 0.25
"""The number of seconds between two progress reports."""


@dataclass(frozen=True)
class Sizes:
    """The amount of work of each task, and a file in which tasks record their progress.

    Some tasks take much longer than others, so the number of finished tasks alone would be
    misleading.
    """

    file: Path
    of: Sequence[int]
    unit: str = ""
    """The displayed unit of the amounts in ``of``, such as bytes; empty for no unit."""

    def mine(self, number: int) -> tuple[I64, int] | None:
        """Return a one-element array that holds the task's progress, and the task's size.

        Returns None if the progress file is on another machine.
        """
        place = shared_number(self.file, number)
        return None if place is None else (place, self.of[number])

    def prepare(self) -> None:
        """Write the progress file, with a zero for each task."""
        create_shared_numbers(self.file, len(self.of))

    def done(self, finished: int) -> tuple[int, int, str]:
        """Return the work done by all tasks, the total and the unit.

        ``finished`` is the number of finished tasks. For tasks on other machines, the driver only
        knows this number, so it treats them as equally large.
        """
        total = sum(self.of)
        reported = int(shared_numbers(self.file).sum())
        return min(max(reported, total * finished // len(self.of)), total), total, self.unit


class _Running:
    """The task that this process runs; a Spark worker runs one task at a time.

    One object serves the whole process because the code that reports progress is many calls below
    the function that Spark calls, and the code in between does not need it.
    """

    def __init__(self) -> None:
        self.share: tuple[I64, int] | None = None
        """A pair: a one-element array that holds the task's progress, and the task's size."""
        self.part = (0.0, 1.0)
        """The part of the task that is running, as the fractions at which it begins and ends."""


_running = _Running()


def report_progress(part: float) -> None:
    """Report the completed fraction, from 0 to 1, of the current task or of its current part."""
    if _running.share:
        mine, size = _running.share
        begin, end = _running.part
        mine[0] = (begin + part * (end - begin)) * size


@contextmanager
def part_of_task(begin: float, end: float) -> Iterator[None]:
    """Run a block that does one part of the current task: the fractions ``begin`` to ``end``.

    In the block, ``report_progress`` expects fractions of this part instead of the entire task.
    """
    _running.part = (begin, end)
    try:
        yield
    finally:
        _running.part = (0.0, 1.0)


@dataclass(frozen=True)
class _Failed:
    error: Exception


class _Guarded(Generic[Arg, Result]):
    """A task that returns its expected errors as values.

    Spark would convert raised errors to strings.

    Expected errors are errors of provhouse and of the machine, such as a full disk or too little
    memory.
    """

    def __init__(self, task: Callable[[Arg], Result], sizes: Sizes | None) -> None:
        self.task = task
        self.sizes = sizes

    def __call__(self, numbered: tuple[int, Arg]) -> Result | _Failed:
        number, argument = numbered
        try:
            _running.share = self.sizes.mine(number) if self.sizes else None
            with written_whole(_attempt()):
                result = self.task(argument)
            report_progress(1)
            return result
        except (ProvhouseError, OSError, MemoryError) as error:
            error.add_note(traceback.format_exc())  # pickling loses the traceback
            return _Failed(error)
        finally:
            _running.share = None
            freeze_imports()


def _attempt() -> str:
    """Return a name for this attempt at a task, unique in the Spark session."""
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context  # only Spark calls a guarded task
    return f"attempt-{context.taskAttemptId()}"


def run_tasks(
    context: "SparkContext | None",
    task: Callable[[Arg], Result],
    arguments: Sequence[Arg],
    progress: Progress,
    sizes: Sizes | None = None,
) -> list[Result]:
    """Run ``task`` on every argument as one Spark job; return the results in the same order.

    Without a context, the tasks run one after the other in this process. If several tasks raise
    expected errors, only the error for the earliest argument is raised. Raises Unavailable if Spark
    ends before all tasks have finished.
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
    """A context manager that reports the progress of the current job from a thread."""

    def __init__(
        self, context: "SparkContext", total: int, progress: Progress, sizes: Sizes | None
    ) -> None:
        self._tracker = context.statusTracker()
        self._total = total
        self._progress = progress
        self._sizes = sizes
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
        with suppress(Exception):  # if Spark ends, the job itself raises the error
            while not self._over.wait(LOOK_SECONDS):
                ended = min(self._ended(), self._total)
                done = self._sizes.done(ended) if self._sizes else (ended, self._total, "")
                self._progress.advance(*done)

    def _ended(self) -> int:
        """Return the number of finished tasks in the active stages.

        This includes tasks of other jobs that run in the same Spark session.
        """
        stages = [self._tracker.getStageInfo(s) for s in self._tracker.getActiveStageIds()]
        return sum(stage.numCompletedTasks for stage in stages if stage)
