"""So many run, so many wait, and the next one is sent away."""

import asyncio

import pytest

from provhouse.serve.gate import Gate
from provhouse.serve.problems import Crowded


def test_who_comes_too_many_is_sent_away() -> None:
    async def scenario() -> None:
        gate = Gate(running=2, waiting=1)
        go = asyncio.Event()
        running = 0

        async def visit() -> None:
            nonlocal running
            async with gate.turn():
                running += 1
                await go.wait()
                running -= 1

        visits = [asyncio.create_task(visit()) for _ in range(3)]
        await asyncio.sleep(0.01)
        assert (running, gate.inside) == (2, 3)
        with pytest.raises(Crowded):
            async with gate.turn():
                pass
        visits[2].cancel()  # who gives up leaves room
        await asyncio.sleep(0.01)
        visits[2] = asyncio.create_task(visit())
        go.set()
        await asyncio.gather(*visits)
        assert (running, gate.inside) == (0, 0)

    asyncio.run(scenario())
