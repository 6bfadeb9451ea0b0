"""Shorten the garbage collection that PySpark runs in its Python workers after every task."""

import gc
import sys


class _Worker:
    """The state of this worker process that lasts from one task to the next.

    One object serves the whole process because Spark forks the workers itself and calls plain
    functions in them.
    """

    def __init__(self) -> None:
        self.frozen_modules = 0
        self.own = False
        """Whether provhouse's daemon forked this worker, so it runs no other program's tasks."""


_worker = _Worker()


def mark_own() -> None:
    """Record that all workers forked from this process run only provhouse's tasks."""
    _worker.own = True


def freeze_imports() -> None:
    """Keep garbage collection from scanning the modules that this worker has imported.

    Call this at the end of a task. With Arrow and numba imported, garbage collection after each
    task would take 70 ms, which is most of the time of a small task. In the workers of another
    program's session, this function does nothing, because it would also keep that program's objects
    from being collected.
    """
    if _worker.own and len(sys.modules) != _worker.frozen_modules:
        _worker.frozen_modules = len(sys.modules)
        gc.freeze()
