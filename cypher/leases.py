"""Who uses a managed server, and who may start or stop it: two locks that fall with their holder.

``transition.lock`` is held, exclusively, by whoever starts or stops the server or joins or leaves
its users. ``users.lock`` is held, shared, by each command for as long as it uses the server: who
leaves and can then take it exclusively was the last one. Killed commands leave nothing to clean.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from provhouse.model.progress import Progress
from provhouse.runtime.files import exclusive, lock, open_lock


@contextmanager
def transition(home: Path, progress: Progress) -> Iterator[None]:
    """Be the only one who starts, stops, joins or leaves; waits for whoever does so now."""
    with exclusive(
        home / "transition.lock",
        waiting=lambda: progress.say("Waiting for another command that starts or stops Neo4j"),
    ):
        yield


class Lease:
    """One command's use of the server; make and leave it inside a transition only."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    @classmethod
    def join(cls, home: Path) -> Self:
        """Become one of the users."""
        handle = open_lock(home / "users.lock")
        lock(handle, shared=True, wait=True)
        return cls(handle)

    def leave(self) -> bool:
        """Stop being one; says whether this was the last."""
        try:
            return lock(self._handle)
        finally:
            os.close(self._handle)
