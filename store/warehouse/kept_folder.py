"""The folder of a captured block, locked and kept as long as this process needs it."""

import shutil
import weakref
from contextlib import ExitStack
from pathlib import Path

from .captured_blocks import held, is_kept


class KeptFolder:
    """The locked folder of a block.

    When the object is no longer used, the lock is released, and if the block was ingested, its
    folder is removed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        lock = ExitStack()
        lock.enter_context(held(path))
        self._end = weakref.finalize(self, _end, path, lock)

    @property
    def is_open(self) -> bool:
        """Whether this process still keeps the folder."""
        return self._end.alive

    def close(self) -> None:
        """Remove the folder if it was ingested, and unlock it."""
        self._end()


def _end(path: Path, lock: ExitStack) -> None:
    with lock:
        if is_kept(path):
            shutil.rmtree(path, ignore_errors=True)
