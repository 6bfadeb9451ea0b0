"""Cache a copy of all triples once, for all questions that wait for it.

Filling the cache takes a minute or more in a large warehouse. So the fill runs in a separate
thread, and a question can stop waiting before the fill ends. If the time limit of a question
passes, its client gets an error that states when to ask again, and the fill continues. If the
clients of all waiting questions have disconnected, the fill is cancelled.
"""

from collections.abc import Callable
from concurrent.futures import Future, wait
from threading import Event, Lock, Thread
from time import perf_counter

from provhouse.model.errors import StillFilling, TooSlow, Unavailable
from provhouse.model.progress import Stopwatch

from .hashed_triples import HashedTriples

Fill = Callable[[Stopwatch], HashedTriples]
"""A function that caches all triples. It raises an error early if its watch stops it."""


class SharedFill:
    """A copy of all triples, from the start of its fill to its release.

    ``expected`` is an estimate of the seconds that the fill takes.
    """

    def __init__(self, fill: Fill, expected: float) -> None:
        self._fill = fill
        self._expected = expected
        self._began = perf_counter()
        self._copy: Future[HashedTriples] = Future()
        self._stop = Event()
        self._lock = Lock()
        self._waiting = 0
        self._awaited = False
        """Whether a client was asked to come back later."""
        Thread(target=self._run, name="fill", daemon=True).start()

    @property
    def complete(self) -> bool:
        """Whether the copy is complete in memory."""
        return self._copy.done() and not self._copy.exception()

    def join(self) -> bool:
        """Register a waiting question; return False if the fill failed and a new fill is needed."""
        with self._lock:
            if self._copy.done() and self._copy.exception():
                return False
            self._waiting += 1
            return True

    def copy(self, watch: Stopwatch) -> HashedTriples:
        """Wait for the complete copy, and return it. This must be called once after each ``join``.

        Raises StillFilling at the time limit of the watch, TooSlow if the client has disconnected,
        and the error of a fill that failed.
        """
        try:
            while not wait([self._copy], watch.pause()).done:
                pass
            return self._copy.result()
        except TooSlow as error:
            if watch.disconnected:
                raise
            self._awaited = True
            raise self._still_filling() from error
        finally:
            self._leave()

    def _still_filling(self) -> StillFilling:
        passed = perf_counter() - self._began
        seconds = round(max(self._expected - passed, passed / 4, 1))
        return StillFilling(
            "The method needs a copy of all triples in memory, which is not complete yet",
            f"It was begun {passed:.0f} seconds ago, and continues",
            f"Ask again in about {seconds} seconds, or use the method csprov",
            seconds,
        )

    def _leave(self) -> None:
        with self._lock:
            self._waiting -= 1
            unwanted = not (self._waiting or self._awaited or self._copy.done())
        if unwanted:
            self.cancel()

    def cancel(self) -> None:
        """Cancel the fill unless it is complete; questions that wait for it get Unavailable."""
        with self._lock:
            if not self._copy.done():
                self._stop.set()
                self._copy.set_exception(cancelled())

    def release(self) -> None:
        """Release the copy, or cancel its fill."""
        self.cancel()
        if self.complete:
            self._copy.result().release()

    def _run(self) -> None:
        try:
            copy = self._fill(Stopwatch(gone=self._stop))
        except BaseException as error:
            with self._lock:
                if not self._copy.done():
                    self._copy.set_exception(error)
            return
        with self._lock:
            wanted = not self._copy.done()
            if wanted:
                self._copy.set_result(copy)
        if not wanted:
            copy.release()


def cancelled() -> Unavailable:
    """Return the error for a question that waits for a copy that will never be complete."""
    return Unavailable(
        "The copy of all triples that the method needs was cancelled",
        "The server is stopping, or answers from another generation now",
        "Ask again in a few seconds",
    )
