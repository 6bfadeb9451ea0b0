"""Up to a limit, questions run or wait. Further questions are refused."""

import asyncio

import pytest

from provhouse.serve.concurrency import Limiter
from provhouse.serve.problems import Crowded


@pytest.mark.parametrize("long", [False, True])
def test_one_question_too_many_is_refused(long: bool) -> None:
    async def scenario() -> None:
        limiter = Limiter(running=4, waiting=-1) if long else Limiter(running=2, waiting=1)
        slot = limiter.long_slot if long else limiter.slot
        go = asyncio.Event()
        running = 0

        async def visit() -> None:
            nonlocal running
            async with slot():
                running += 1
                await go.wait()
                running -= 1

        visits = [asyncio.create_task(visit()) for _ in range(3)]
        await asyncio.sleep(0.01)
        assert (running, limiter.active) == (2, 3)
        with pytest.raises(Crowded):
            async with slot():
                pass
        visits[2].cancel()  # this cancelled question makes room for another one
        await asyncio.sleep(0.01)
        visits[2] = asyncio.create_task(visit())
        go.set()
        await asyncio.gather(*visits)
        assert (running, limiter.active) == (0, 0)

    asyncio.run(scenario())
