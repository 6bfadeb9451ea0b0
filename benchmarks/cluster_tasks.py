"""Say which tasks Spark has run, and where, by the store from which its web page is made."""

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pyspark import SparkContext


class Ran(NamedTuple):
    """A task that Spark has run."""

    executor: str
    locality: str
    """``PROCESS_LOCAL`` if the executor had what the task reads, or if no executor had it."""


def last_job(context: "SparkContext") -> int:
    """Return the number of the last job; -1 if there was none."""
    return max((int(job.jobId()) for job in _jobs(context)), default=-1)


def tasks_after(context: "SparkContext", job: int) -> list[Ran]:
    """Return the tasks of all jobs after this one, each job's in the order of its partitions."""
    jobs = {int(each.jobId()): each for each in _jobs(context)}
    store = _store(context)
    found = []
    for number in sorted(number for number in jobs if number > job):
        for stage in _listed(jobs[number].stageIds()):
            tasks = _listed(store.taskList(stage, 0, 1_000_000))
            for task in sorted(tasks, key=lambda task: task.index()):
                found.append(Ran(task.executorId(), task.taskLocality()))
    return found


def _jobs(context: "SparkContext") -> list[Any]:
    return _listed(_store(context).jobsList(None))


def _store(context: "SparkContext") -> Any:
    """Return Spark's store of jobs and tasks, after all that has happened is in it."""
    private: Any = context
    private._jsc.sc().listenerBus().waitUntilEmpty()
    return private._jsc.sc().statusStore()


def _listed(values: Any) -> list[Any]:
    """Return a sequence of Scala as a list."""
    return [values.apply(number) for number in range(values.size())]
