"""Who uses a managed server, and who may start or stop it: two locks that fall with their holder.

``transition.lock`` is held, exclusively, by whoever starts or stops the server or joins or leaves
its users. ``users.lock`` is held, shared, by each command for as long as it uses the server: who
leaves and can then take it exclusively was the last one. Killed commands leave nothing to clean.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from provhouse.model.progress import Progress


@contextmanager
def transition(home: Path, progress: Progress) -> Iterator[None]:
    """Be the only one who starts, stops, joins or leaves; waits for whoever does so now."""
    handle = _opened(home / "transition.lock")
    try:
        if not _taken(handle, fcntl.LOCK_EX):
            progress.say("Waiting for another command that starts or stops Neo4j")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


class Lease:
    """One command's use of the server; make and leave it inside a transition only."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    @classmethod
    def join(cls, home: Path) -> Self:
        """Become one of the users."""
        handle = _opened(home / "users.lock")
        fcntl.flock(handle, fcntl.LOCK_SH)
        return cls(handle)

    def leave(self) -> bool:
        """Stop being one; says whether this was the last."""
        try:
            return _taken(self._handle, fcntl.LOCK_EX)
        finally:
            os.close(self._handle)


def _opened(file: Path) -> int:
    return os.open(file, os.O_RDWR | os.O_CREAT, 0o600)


def _taken(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
