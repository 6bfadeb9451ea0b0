"""Lock a managed server while commands start, stop or use it.

A lock ends with the process that holds it.

A command has an exclusive lock on ``transition.lock`` while it starts or stops the server, or joins
or leaves the server's users. It has a shared lock on ``users.lock`` as long as it uses the server.
A command that leaves tries to lock ``users.lock`` exclusively; if it succeeds, it was the last
user. After a command was killed, nothing has to be cleaned up.
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
    """Run a block that starts, stops, joins or leaves the server, one such block at a time."""
    with exclusive(
        home / "transition.lock",
        waiting=lambda: progress.say("Waiting for another command that starts or stops Neo4j"),
    ):
        yield


class Lease:
    """One command's use of the server. Call ``join`` and ``leave`` only inside a ``transition``."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    @classmethod
    def join(cls, home: Path) -> Self:
        """Become a user of the server."""
        handle = open_lock(home / "users.lock")
        lock(handle, shared=True, wait=True)
        return cls(handle)

    def leave(self) -> bool:
        """Stop using the server; return whether this was the last user."""
        try:
            return lock(self._handle)
        finally:
            os.close(self._handle)
