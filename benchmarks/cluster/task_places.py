"""Find out which tasks Spark has run, and where.

The data comes from the store that Spark's web page shows.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pyspark import SparkContext


MOST = 1_000_000
"""A limit for lists of tasks. No stage here has that many tasks."""


def last_job(context: "SparkContext") -> int:
    """Return the ID of the last job; -1 if there was no job."""
    return max((int(job.jobId()) for job in _jobs(context)), default=-1)


def tasks_after(context: "SparkContext", job: int) -> int:
    """Return the number of tasks that Spark has run in the jobs after ``job``."""
    return sum(len(_tasks(_store(context), stage)) for stage in _stages_after(context, job))


def await_task(context: "SparkContext", over: Callable[[], bool]) -> str:
    """Wait until a task runs; return its host, or "" if ``over`` becomes true first."""
    while not over():
        store = _store(context)
        for job in _jobs(context):
            if job.status().name() == "RUNNING":
                for stage in _listed(job.stageIds()):
                    for task in _tasks(store, stage):
                        if task.status() == "RUNNING":
                            return str(task.host())
        time.sleep(0.05)
    return ""


def count_lost(context: "SparkContext", job: int) -> tuple[int, int]:
    """Count the tasks that were lost with an executor, in the jobs after ``job``.

    Returns the number of tasks that had a lost attempt, and how many of these succeeded in another
    attempt.
    """
    stages = _stages_after(context, job)
    made = [each for each in attempts(context) if each.task[0] in stages]
    lost = {each.task for each in made if "ExecutorLost" in each.error}
    return len(lost), len(lost & {each.task for each in made if each.status == "SUCCESS"})


class Attempt(NamedTuple):
    """An attempt at a task that Spark has begun."""

    number: int
    """The ID of the attempt, unique in the Spark context."""
    task: tuple[int, int]
    """The ID of the stage, and the number of the partition."""
    retry: int
    """The number of earlier attempts at the stage."""
    executor: str
    status: str
    error: str
    second: bool
    """Whether Spark began the attempt while another attempt at the task was running."""
    last: bool
    """Whether the stage is the last of a job of several stages."""


def attempts(context: "SparkContext") -> list[Attempt]:
    """Return all attempts at tasks, in the order in which Spark began them."""
    private: Any = context
    jvm, store = private._jvm, _store(context)
    several = [_listed(job.stageIds()) for job in _jobs(context)]
    lasts = {max(stages) for stages in several if len(stages) > 1}
    none = private._gateway.new_array(jvm.double, 0)
    found = []
    for stage in _listed(store.stageList(None, False, False, none, jvm.java.util.ArrayList())):
        number, retry = stage.stageId(), stage.attemptId()
        for task in _listed(store.taskList(number, retry, MOST)):
            found.append(
                Attempt(
                    int(task.taskId()),
                    (number, int(task.index())),
                    retry,
                    task.executorId(),
                    task.status(),
                    task.errorMessage().toString(),
                    task.speculative(),
                    number in lasts,
                )
            )
    return sorted(found)


def _stages_after(context: "SparkContext", job: int) -> list[int]:
    jobs = {int(each.jobId()): each for each in _jobs(context)}
    later = sorted(number for number in jobs if number > job)
    return [stage for number in later for stage in _listed(jobs[number].stageIds())]


def _tasks(store: Any, stage: int) -> list[Any]:
    """Return the attempts at all tasks of a stage."""
    return _listed(store.taskList(stage, 0, MOST))


def _jobs(context: "SparkContext") -> list[Any]:
    return _listed(_store(context).jobsList(None))


def _store(context: "SparkContext") -> Any:
    """Wait until Spark's store of jobs and tasks is up to date, and return the store."""
    private: Any = context
    private._jsc.sc().listenerBus().waitUntilEmpty()
    return private._jsc.sc().statusStore()


def _listed(values: Any) -> list[Any]:
    """Return a sequence of Scala as a list."""
    return [values.apply(number) for number in range(values.size())]
