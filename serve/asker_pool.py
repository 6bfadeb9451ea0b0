"""Share askers, which answer questions, between threads.

A dropped asker is closed by its last user.
"""

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from threading import Lock

from provhouse.query.ask import Asker

EARLIER_GENERATIONS = 4
"""The number of earlier generations whose askers stay open."""


class SharedAsker:
    """An open asker with a count of its users."""

    def __init__(self, asker: Asker) -> None:
        self.asker = asker
        self._lock = Lock()
        self._users = 0
        self._dropped = False

    def acquire(self) -> bool:
        """Become a user of the asker. Return False if it was dropped before."""
        with self._lock:
            self._users += not self._dropped
            return not self._dropped

    def release(self) -> None:
        """Stop being a user of the asker. The last user of a dropped asker closes it."""
        with self._lock:
            self._users -= 1
            over = self._dropped and not self._users
        if over:
            self.asker.close()

    def drop(self) -> None:
        """Refuse new users, and close the asker as soon as it has none."""
        with self._lock:
            over = not (self._dropped or self._users)
            self._dropped = True
        if over:
            self.asker.close()


class AskerPool:
    """The most recently used askers of earlier generations.

    ``open_asker`` opens the asker of a generation.
    """

    def __init__(self, open_asker: Callable[[int], Asker]) -> None:
        self._open_asker = open_asker
        self._lock = Lock()
        self._shared: OrderedDict[int, SharedAsker] = OrderedDict()

    @contextmanager
    def asker(self, generation: int) -> Iterator[Asker]:
        """Yield the asker of a generation, which stays open during the block."""
        shared = self._acquire(generation)
        try:
            yield shared.asker
        finally:
            shared.release()

    def _acquire(self, generation: int) -> SharedAsker:
        with self._lock:
            shared = self._shared.pop(generation, None) or SharedAsker(self._open_asker(generation))
            self._shared[generation] = shared
            shared.acquire()
            too_many = len(self._shared) > EARLIER_GENERATIONS
            oldest = self._shared.popitem(last=False)[1] if too_many else None
        if oldest:
            oldest.drop()
        return shared

    def drop(self) -> None:
        """Drop all askers."""
        self.keep_only(())

    def keep_only(self, generations: Collection[int]) -> None:
        """Drop the askers of all generations except these."""
        with self._lock:
            gone = [self._shared.pop(one) for one in self._shared.keys() - set(generations)]
        for one in gone:
            one.drop()
