"""Limits on the number of questions that run and wait at the same time."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from .problems import Crowded


class Limiter:
    """Lets ``running`` questions run and ``waiting`` questions wait; refuses further questions."""

    def __init__(self, running: int, waiting: int) -> None:
        self._slots = asyncio.Semaphore(running)
        self._long_slots = asyncio.Semaphore(max(running // 2, 1))
        self._capacity = running + waiting
        self.active = 0
        """The number of questions that run or wait."""

    @asynccontextmanager
    async def long_slot(self) -> AsyncIterator[None]:
        """Wait for a slot and hold it during the block, which lasts as long as the client reads.

        Such blocks use at most half of all slots, so that slow clients cannot occupy all of them.
        Raises Crowded if too many questions wait.
        """
        with self._counted():
            async with self._long_slots, self._slots:
                yield

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a slot, the permission to run a question, and hold it during the block.

        Raises Crowded if too many questions wait.
        """
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
