"""How many are answered at once and how many may wait; who comes beyond that is sent away."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from .problems import Crowded


class Gate:
    """Lets ``running`` through at once, and ``waiting`` more wait for their turn."""

    def __init__(self, running: int, waiting: int) -> None:
        self._turns = asyncio.Semaphore(running)
        self._long = asyncio.Semaphore(max(running // 2, 1))
        self._room = running + waiting
        self.inside = 0
        """How many run or wait."""

    @asynccontextmanager
    async def long_turn(self) -> AsyncIterator[None]:
        """The same for what lasts as long as its reader likes; half of the turns are never that."""
        with self._counted():
            async with self._long, self._turns:
                yield

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn and keep it for the length of the block; raises Crowded."""
        with self._counted():
            async with self._turns:
                yield

    @contextmanager
    def _counted(self) -> Iterator[None]:
        if self.inside >= self._room:
            raise Crowded(
                f"At most {self._room} should ask at once", "More do", "Ask again in a second"
            )
        self.inside += 1
        try:
            yield
        finally:
            self.inside -= 1
