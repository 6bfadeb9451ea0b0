"""Shorten the garbage collection that PySpark runs in its Python workers after every task."""

import gc
import sys


class _Worker:
    """The state of this worker process that lasts from one task to the next.

    There is one for the whole process because Spark forks the workers itself and calls plain
    functions in them.
    """

    def __init__(self) -> None:
        self.frozen_modules = 0


_worker = _Worker()


def freeze_imports() -> None:
    """Exempt the modules that this worker has imported from garbage collection.

    Call this at the end of a task. With Arrow and numba imported, the collection after each task
    would take 70 ms, which is most of the time of a small task. Exempt objects cost nothing.
    """
    if len(sys.modules) != _worker.frozen_modules:
        _worker.frozen_modules = len(sys.modules)
        gc.freeze()
