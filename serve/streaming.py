"""A pipe between the thread that writes an answer and the thread that sends it.

The pipe ensures that the text of a large answer is never completely in memory.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import Empty, Full, Queue
from threading import Thread
from typing import TextIO, cast

from provhouse.model.errors import TooSlow

PIECE = 1 << 16
"""The number of characters sent in one piece."""
AHEAD = 8
"""The number of pieces queued for a slow reader before the writer must wait."""
PATIENCE = 60
"""The number of seconds that the writer waits for a reader that does not read."""


class Pipe:
    """Runs ``write`` in a thread and yields the text that it writes, as UTF-8.

    An error in ``write`` is raised in the thread that reads.
    """

    def __init__(self, write: Callable[[TextIO], None]) -> None:
        self._pieces: Queue[bytes | BaseException | None] = Queue(AHEAD)
        self._parts: list[str] = []
        self._size = 0
        self._left = self._begun = False
        self._first: bytes | BaseException | None = None
        self._thread = Thread(target=self._run, args=(write,), name="pipe", daemon=True)

    def write(self, text: str) -> int:
        """Queue text for the reader; raises TooSlow if the queue stays full for too long."""
        self._parts.append(text)
        self._size += len(text)
        if self._size >= PIECE:
            self.flush()
        return len(text)

    def isatty(self) -> bool:
        """Return False: a pipe is not a terminal."""
        return False

    def flush(self) -> None:
        """Queue the text written so far, even if it is shorter than a piece."""
        if self._parts:
            self._put("".join(self._parts).encode())
            self._parts, self._size = [], 0

    def begin(self) -> None:
        """Begin to write, and wait for the first piece; raise the writer's error if it fails."""
        self._begun = True
        self._thread.start()
        self._first = self._next()
        if isinstance(self._first, BaseException):
            raise self._first

    def __iter__(self) -> Iterator[bytes]:
        if not self._begun:
            self.begin()
        piece = self._first
        while piece:
            if isinstance(piece, BaseException):
                raise piece
            yield piece
            piece = self._next()

    def _next(self) -> bytes | BaseException | None:
        """Return the next piece, the writer's error, or None at the end.

        The error is TooSlow if the writer has given up because nothing was read.
        """
        while True:
            with suppress(Empty):
                return self._pieces.get(timeout=1)
            if not self._thread.is_alive() and self._pieces.empty():
                return _too_slow()

    def _run(self, write: Callable[[TextIO], None]) -> None:
        try:
            try:
                write(cast(TextIO, self))  # writers of results use no other methods of a file
                self.flush()
            except BaseException as error:
                self._put(error)
            self._put(None)
        except TooSlow:
            pass  # the reader no longer reads

    def close(self) -> None:
        """Stop reading; a writer that is still running fails at its next piece."""
        self._left = True

    def _put(self, piece: bytes | BaseException | None) -> None:
        for _ in range(PATIENCE):
            if self._left:
                break
            with suppress(Full):
                self._pieces.put(piece, timeout=1)
                return
        raise _too_slow()


def _too_slow() -> TooSlow:
    return TooSlow("The client is too slow", f"It read nothing for {PATIENCE} seconds")
