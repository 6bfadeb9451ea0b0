"""Limits on the number of questions that run and wait at the same time."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from .problems import Crowded


class Limiter:
    """Lets ``running`` questions run at once and ``waiting`` more wait. Refuses all others."""

    def __init__(self, running: int, waiting: int) -> None:
        self._slots = asyncio.Semaphore(running)
        self._long_slots = asyncio.Semaphore(max(running // 2, 1))
        self._capacity = running + waiting
        self.active = 0
        """The number of questions that run or wait."""

    @asynccontextmanager
    async def long_slot(self) -> AsyncIterator[None]:
        """Hold a slot during the block, for work that lasts as long as the client reads.

        At most half of the slots are used for such work. Raises Crowded if too many wait.
        """
        with self._counted():
            async with self._long_slots, self._slots:
                yield

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a slot and hold it during the block; raises Crowded if too many wait."""
        with self._counted():
            async with self._slots:
                yield

    @contextmanager
    def _counted(self) -> Iterator[None]:
        if self.active >= self._capacity:
            raise Crowded(
                "The server is busy",
                f"{self._capacity} questions are already running or waiting",
                "Ask again in a second",
            )
        self.active += 1
        try:
            yield
        finally:
            self.active -= 1
