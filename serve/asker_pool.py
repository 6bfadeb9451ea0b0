"""An asker that several use at once, and that its last user closes once it was dropped."""

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from threading import Lock

from provhouse.query.ask import Asker

EARLIER = 4
"""Earlier generations that are kept at hand."""


class Held:
    """One asker, opened."""

    def __init__(self, asker: Asker) -> None:
        self.asker = asker
        self._lock = Lock()
        self._users = 0
        self._dropped = False

    def taken(self) -> bool:
        """Become a user; False if it was dropped before."""
        with self._lock:
            self._users += not self._dropped
            return not self._dropped

    def leave(self) -> None:
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


class Earlier:
    """The askers of earlier generations that were asked for last; ``opened`` makes one."""

    def __init__(self, opened: Callable[[int], Asker]) -> None:
        self._opened = opened
        self._lock = Lock()
        self._held: OrderedDict[int, Held] = OrderedDict()

    @contextmanager
    def asker(self, generation: int) -> Iterator[Asker]:
        """The asker of a generation, which stays whole for the length of the block."""
        held = self._taken(generation)
        try:
            yield held.asker
        finally:
            held.leave()

    def _taken(self, generation: int) -> Held:
        with self._lock:
            held = self._held.pop(generation, None) or Held(self._opened(generation))
            self._held[generation] = held
            held.taken()
            oldest = self._held.popitem(last=False)[1] if len(self._held) > EARLIER else None
        if oldest:
            oldest.drop()
        return held

    def drop(self) -> None:
        """Let all of them go."""
        self.keep(())

    def keep(self, generations: Collection[int]) -> None:
        """Let all others go."""
        with self._lock:
            gone = [self._held.pop(one) for one in self._held.keys() - set(generations)]
        for one in gone:
            one.drop()
