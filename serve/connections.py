"""Connections within limits: however many there are, and however slow, others are served.

uvicorn waits for the head of a request for as long as a client likes and keeps whatever it sends of
one; and a process can hold only so many connections.
"""

import asyncio
from typing import cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST = 700
"""Connections at once; one that asks nothing makes room for a new one."""
HEAD_SECONDS = 10.0
HEAD_BYTES = 1 << 17
"""What the head of a request may take; names that are longer are posted."""


class Connection(HttpToolsProtocol):
    """One of them."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client comes; the one that has been idle for longest goes where they are too many."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self._patience: asyncio.TimerHandle | None = None
        self._head: int | None = 0
        self._make_room()
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """More of a request comes; a head that does not end is cut off."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self._head is not None:
            self._head += len(data)
            if self._head > HEAD_BYTES:
                self.transport.abort()

    def on_message_begin(self) -> None:
        """The head of a request begins."""
        self._head = 0
        self._await_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """The head of a request is there."""
        self._head = None
        self._stop_waiting()
        super().on_headers_complete()

    @property
    def _idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _make_room(self) -> None:
        """Close the oldest idle connection where there are too many."""
        connections = cast("set[Connection]", self.connections)  # uvicorn keeps them, until lost
        if len(connections) <= MOST:
            return
        still = [one for one in connections if not one.transport.is_closing()]
        if len(still) > MOST:
            oldest = min((one for one in still if one._idle), key=lambda one: one._since)
            oldest.transport.abort()

    def _await_head(self) -> None:
        self._stop_waiting()
        self._patience = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._patience:
            self._patience.cancel()
            self._patience = None

    def _give_up(self) -> None:
        self.transport.abort()
