"""An asker that several use at once, and that its last user closes once it was dropped."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from threading import Lock

from provhouse.query.ask import Asker

EARLIER_GENERATIONS = 4
"""Earlier generations that are kept at hand."""


class SharedAsker:
    """One asker, opened."""

    def __init__(self, asker: Asker) -> None:
        self.asker = asker
        self._lock = Lock()
        self._users = 0
        self._dropped = False

    def acquire(self) -> bool:
        """Become a user; False if it was dropped before."""
        with self._lock:
            self._users += not self._dropped
            return not self._dropped

    def release(self) -> None:
        """Stop being a user."""
        with self._lock:
            self._users -= 1
            over = self._dropped and not self._users
        if over:
            self.asker.close()

    def drop(self) -> None:
        """Let nobody else use it, and close it as soon as nobody does."""
        with self._lock:
            over = not (self._dropped or self._users)
            self._dropped = True
        if over:
            self.asker.close()


class AskerPool:
    """The askers of earlier generations that were asked for last; ``open_asker`` makes one."""

    def __init__(self, open_asker: Callable[[int], Asker]) -> None:
        self._open_asker = open_asker
        self._lock = Lock()
        self._shared: OrderedDict[int, SharedAsker] = OrderedDict()

    @contextmanager
    def asker(self, generation: int) -> Iterator[Asker]:
        """The asker of a generation, which stays whole for the length of the block."""
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
        """Let all of them go."""
        self.keep_only(())

    def keep_only(self, generations: Collection[int]) -> None:
        """Let all others go."""
        with self._lock:
            gone = [self._shared.pop(one) for one in self._shared.keys() - set(generations)]
        for one in gone:
            one.drop()
