"""Spark's Python workers, which PySpark makes slow by collecting garbage after every task."""

import gc
import sys

_seen = 0


def settle() -> None:
    """Take what this worker has imported out of the garbage collector's sight.

    To be called at the end of a task. With Arrow and numba loaded, the collection after each task
    takes 70 ms, most of a small task's time; of what is frozen it takes nothing.
    """
    global _seen
    if len(sys.modules) != _seen:
        _seen = len(sys.modules)
        gc.freeze()
