"""Spark's Python workers, which PySpark makes slow by collecting garbage after every task."""

import gc
import sys


class _Worker:
    """What this worker process keeps from one task to the next.

    Spark forks workers itself and hands them functions, so that no object of ours can hold this.
    """

    def __init__(self) -> None:
        self.frozen_modules = 0


_worker = _Worker()


def freeze_imports() -> None:
    """Take what this worker has imported out of the garbage collector's sight.

    To be called at the end of a task. With Arrow and numba loaded, the collection after each task
    takes 70 ms, most of a small task's time; of what is frozen it takes nothing.
    """
    if len(sys.modules) != _worker.frozen_modules:
        _worker.frozen_modules = len(sys.modules)
        gc.freeze()
