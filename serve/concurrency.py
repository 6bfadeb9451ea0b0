"""How many are answered at once and how many may wait; who comes beyond that is sent away."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from .problems import Crowded


class Limiter:
    """Lets ``running`` through at once, and ``waiting`` more wait for their turn."""

    def __init__(self, running: int, waiting: int) -> None:
        self._slots = asyncio.Semaphore(running)
        self._long_slots = asyncio.Semaphore(max(running // 2, 1))
        self._capacity = running + waiting
        self.active = 0
        """How many run or wait."""

    @asynccontextmanager
    async def long_slot(self) -> AsyncIterator[None]:
        """The same for what lasts as long as its reader likes; half of the turns are never that."""
        with self._counted():
            async with self._long_slots, self._slots:
                yield

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a turn and keep it for the length of the block; raises Crowded."""
        with self._counted():
            async with self._slots:
                yield

    @contextmanager
    def _counted(self) -> Iterator[None]:
        if self.active >= self._capacity:
            raise Crowded(
                f"At most {self._capacity} should ask at once", "More do", "Ask again in a second"
            )
        self.active += 1
        try:
            yield
        finally:
            self.active -= 1
