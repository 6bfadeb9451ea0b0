"""Share askers between threads. An asker answers questions from one generation.

A dropped asker refuses new users, and is closed when its last user releases it.
"""

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Lock

from provhouse.query.lineage.ask import Asker

EARLIER_GENERATIONS = 4
"""The largest number of earlier generations whose askers stay open."""


class SharedAsker:
    """An open asker, with the number of calls that use it now."""

    def __init__(self, asker: Asker) -> None:
        self.asker = asker
        self._lock = Lock()
        self._users = 0
        self._dropped = False

    def acquire(self) -> bool:
        """Count the caller as a user of the asker; return False if the asker has been dropped."""
        with self._lock:
            self._users += not self._dropped
            return not self._dropped

    def release(self) -> None:
        """End the caller's use of the asker. If the asker was dropped, its last user closes it."""
        with self._lock:
            self._users -= 1
            over = self._dropped and not self._users
        if over:
            self.asker.close()

    def drop(self) -> None:
        """Refuse new users. Close the asker now, or when its last user releases it."""
        with self._lock:
            over = not (self._dropped or self._users)
            self._dropped = True
        if over:
            self.asker.close()


class AskerPool:
    """The most recently used askers of earlier generations.

    ``open_asker`` opens the asker of a generation. While it runs, questions about that generation
    wait. The pool is not locked, so other questions and the keeper do not wait.
    """

    def __init__(self, open_asker: Callable[[int], Asker]) -> None:
        self._open_asker = open_asker
        self._lock = Lock()
        self._shared: OrderedDict[int, Future[SharedAsker]] = OrderedDict()

    @contextmanager
    def asker(self, generation: int) -> Iterator[Asker]:
        """Yield the asker of a generation. The asker stays open during the block."""
        shared = self._acquire(generation)
        try:
            yield shared.asker
        finally:
            shared.release()

    def _acquire(self, generation: int) -> SharedAsker:
        while True:
            shared = self._find(generation).result()
            if shared.acquire():  # otherwise it was dropped in the meantime
                return shared

    def _find(self, generation: int) -> Future[SharedAsker]:
        """Return a generation's asker as a future; open it unless another thread is opening it."""
        with self._lock:
            found = self._shared.pop(generation, None)
            promise = self._shared[generation] = found or Future()
            too_many = len(self._shared) > EARLIER_GENERATIONS
            oldest = self._shared.popitem(last=False)[1] if too_many else None
        if oldest:
            _drop(oldest)
        if not found:
            self._open(generation, promise)
        return promise

    def _open(self, generation: int, promise: Future[SharedAsker]) -> None:
        try:
            promise.set_result(SharedAsker(self._open_asker(generation)))
        except BaseException as error:
            with self._lock:
                if self._shared.get(generation) is promise:
                    del self._shared[generation]
            promise.set_exception(error)

    def drop(self) -> None:
        """Drop all askers; each is closed once it has no user."""
        self.keep_only(())

    def keep_only(self, generations: Collection[int]) -> None:
        """Drop the askers of all other generations; close each of them once it has no user."""
        with self._lock:
            gone = [self._shared.pop(one) for one in self._shared.keys() - set(generations)]
        for one in gone:
            _drop(one)


def _drop(promise: Future[SharedAsker]) -> None:
    """Drop the asker of a future as soon as it has been opened."""

    def drop(opened: Future[SharedAsker]) -> None:
        if not opened.exception():
            opened.result().drop()

    promise.add_done_callback(drop)
