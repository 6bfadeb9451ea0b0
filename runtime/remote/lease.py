"""The lease of the single writer of a remote warehouse.

The lease only keeps writers from working in vain. Whether a writer can publish is decided by the
history alone, so no answer depends on a clock.
"""

import os
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from threading import Event, Thread
from time import monotonic, sleep

from provhouse.model.errors import Busy, ProvhouseError

from .history import Entry, Newest, append, check_conditional, newest
from .objects import Objects

SECONDS = 60
"""The seconds without a sign of life after which another writer may take the lease."""
BEATS = 4
"""The number of signs of life in this time."""
_SIGNS = "beats/"
_PAUSE = 1.0
"""The seconds between two attempts to take the lease."""


class WriterLease:
    """The lease of this process. A thread gives signs of life until it ends."""

    def __init__(self, objects: Objects, entry: Entry, *, left_open: bool) -> None:
        self._objects = objects
        self.entry = entry
        """The newest entry that this writer has created."""
        self.left_open = left_open
        """Whether the last writer ended without giving its lease back."""
        self._ended = Event()
        Thread(target=self._live, daemon=True).start()

    @property
    def token(self) -> int:
        """The fencing token: higher than that of every earlier writer."""
        return self.entry.token

    def publish(self, manifest: str) -> None:
        """Publish a manifest and give the lease back.

        Raises Busy, with nothing published, if another writer has taken the lease.
        """
        ended = replace(
            self.entry,
            number=self.entry.number + 1,
            manifest=manifest,
            seconds=0,
            attempt=secrets.token_hex(8),
        )
        if not append(self._objects, ended):
            raise Busy(
                f"Nothing was published to {self._objects.place}",
                "Another writer has taken the lease, because this process gave no sign of life for "
                f"{self.entry.seconds} seconds",
                "Run the command again",
            )
        self.entry = ended

    def end(self) -> None:
        """Give the lease back if it is still held, and stop the signs of life."""
        if self._ended.is_set():
            return
        self._ended.set()
        with suppress(ProvhouseError):
            if self.entry.seconds:
                self.publish(self.entry.manifest)
            self._objects.delete([f"{_SIGNS}{self.token:012d}"])

    def _live(self) -> None:
        while not self._ended.wait(self.entry.seconds / BEATS if self.entry.seconds else None):
            with suppress(ProvhouseError):  # if no sign arrives, another writer takes the lease
                self._objects.write(f"{_SIGNS}{self.token:012d}", b"")


def take(
    objects: Objects, wait_seconds: float, waiting: Callable[[], None], known: int = 0
) -> WriterLease:
    """Take the lease; raise Busy if another writer still has it after ``wait_seconds``.

    ``waiting`` is called once if the lease is not free. ``newest`` explains ``known``.
    """
    check_conditional(objects)
    until, told = monotonic() + wait_seconds, False
    while True:
        last = newest(objects, known)
        held = last is not None and last.entry.seconds > 0
        if last is None or not held or _silence(objects, last) > last.entry.seconds:
            entry = _next(last.entry if last else None)
            if append(objects, entry):
                return WriterLease(objects, entry, left_open=held)
            continue
        left = until - monotonic()
        if left <= 0:
            raise Busy(
                f"Cannot write to {objects.place} now",
                f"{last.entry.holder} has been writing since {last.entry.since}",
                "Run the command again with --wait SECONDS. The lease of a process that was killed "
                f"ends {last.entry.seconds} seconds after its last sign of life",
            )
        if not told:
            waiting()
            told = True
        sleep(min(left, _PAUSE))


def _next(last: Entry | None) -> Entry:
    """Return the entry with which this process takes the lease."""
    number = last.number + 1 if last else 1
    return Entry(
        number=number,
        token=number,
        history=last.history if last else secrets.token_hex(8),
        manifest=last.manifest if last else "",
        seconds=SECONDS,
        holder=f"Process {os.getpid()} on {socket.gethostname()}",
        since=datetime.now(UTC).isoformat(timespec="seconds"),
        attempt=secrets.token_hex(8),
    )


def _silence(objects: Objects, last: Newest) -> float:
    """Return the seconds since the last sign of life of the lease's holder.

    Both times are those of objects, so that only the clock of the storage matters.
    """
    probe = f"{_SIGNS}clock-{secrets.token_hex(8)}"
    objects.write(probe, b"")
    now, sign = last.changed, last.changed
    for found in objects.listed(_SIGNS):
        if found.key == probe:
            now = found.changed
        elif found.key == f"{_SIGNS}{last.entry.token:012d}":
            sign = max(sign, found.changed)
    objects.delete([probe])
    return now - sign
