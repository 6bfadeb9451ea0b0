"""The conditions under which a server ends by itself: it is idle, or its warehouse is gone.

A question that a user types on a terminal starts a server for the questions that may follow. The
user may never think of stopping that server, so it stops itself. `provhouse up` keeps a server
until `down`.
"""

from pathlib import Path
from time import monotonic

from .server_file import is_kept, is_own


class Lifetime:
    """Decides when one server ends. ``lock`` is the file that the server locked with ``claim``."""

    def __init__(self, warehouse: Path, lock: int, pid: int, idle_minutes: float) -> None:
        self._warehouse = warehouse
        self._lock = lock
        self._pid = pid
        self._idle_seconds = idle_minutes * 60
        self._requests = 0
        self._active = monotonic()

    def over(self, requests: int, running: int) -> str:
        """Return the reason why the server should end now, as a sentence, or an empty string.

        ``requests`` is the number of requests so far, and ``running`` is the number of requests in
        progress.
        """
        if not is_own(self._warehouse, self._lock):
            return "The warehouse has been moved or deleted"
        if running or requests != self._requests:
            self._requests, self._active = requests, monotonic()
        if not self._idle_seconds or monotonic() - self._active < self._idle_seconds:
            return ""
        if is_kept(self._warehouse, self._pid):
            return ""
        return f"Nothing was asked for {self._idle_seconds / 60:g} minutes"
