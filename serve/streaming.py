"""Text that one thread writes while another sends it: a large answer is never held whole."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import Empty, Full, Queue
from threading import Thread
from typing import TextIO, cast

from provhouse.model.errors import TooSlow

PIECE = 1 << 16
"""Characters that go out at once."""
AHEAD = 8
"""Pieces that wait for a slow reader, before the writer does."""
PATIENCE = 60
"""Seconds that a reader may let the writer wait."""


class Pipe:
    """What ``write`` does in a thread of its own comes out of the iteration as UTF-8.

    An error of the writer is raised where the pieces are read.
    """

    def __init__(self, write: Callable[[TextIO], None]) -> None:
        self._pieces: Queue[bytes | BaseException | None] = Queue(AHEAD)
        self._parts: list[str] = []
        self._size = 0
        self._left = False
        self._thread = Thread(target=self._run, args=(write,), name="pipe", daemon=True)

    def write(self, text: str) -> int:
        """Take text; waits while the reader is behind, and raises TooSlow if it stays so."""
        self._parts.append(text)
        self._size += len(text)
        if self._size >= PIECE:
            self.flush()
        return len(text)

    def isatty(self) -> bool:
        """It is no terminal."""
        return False

    def flush(self) -> None:
        """Let what was written go out now."""
        if self._parts:
            self._put("".join(self._parts).encode())
            self._parts, self._size = [], 0

    def __iter__(self) -> Iterator[bytes]:
        self._thread.start()
        while piece := self._next():
            if isinstance(piece, BaseException):
                raise piece
            yield piece

    def _next(self) -> bytes | BaseException | None:
        """What comes next; an error where the writer has given its reader up meanwhile."""
        while True:
            with suppress(Empty):
                return self._pieces.get(timeout=1)
            if not self._thread.is_alive() and self._pieces.empty():
                return _too_slow()

    def _run(self, write: Callable[[TextIO], None]) -> None:
        try:
            try:
                write(cast(TextIO, self))  # who writes results asks for no more than we have
                self.flush()
            except BaseException as error:
                self._put(error)
            self._put(None)
        except TooSlow:
            pass  # nobody reads any more

    def close(self) -> None:
        """The reader leaves; a writer that is still at work is stopped at its next piece."""
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
    return TooSlow(f"What is sent should be read within {PATIENCE} seconds", "It is not")
