"""A client that hangs up is noticed while its answer is being made."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Event

from fastapi import Request

LOOK_SECONDS = 0.5


@asynccontextmanager
async def noticed(request: Request) -> AsyncIterator[Event]:
    """An event that is set if the client leaves within the block; the body has been read."""
    gone = Event()

    async def look() -> None:
        while not await request.is_disconnected():
            await asyncio.sleep(LOOK_SECONDS)
        gone.set()

    looking = asyncio.create_task(look())
    try:
        yield gone
    finally:
        looking.cancel()
