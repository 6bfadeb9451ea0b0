"""Limits on connections, so that many or slow clients cannot block other clients.

Without these limits, uvicorn would wait forever for the head of a request, store a head of any
size, and accept connections until the operating system allows this process no more.
"""

import asyncio
from typing import cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST = 700
"""The largest number of open connections. If one more is opened, the oldest idle connection is
closed.
"""
HEAD_SECONDS = 10.0
"""The time limit for the head of a request to arrive, in seconds."""
HEAD_BYTES = 1 << 17
"""The largest size of a request's head, in bytes. Names that do not fit must be sent by POST."""


class ClientConnection(HttpToolsProtocol):
    """A connection that limits the size of a request's head, and the time for it to arrive."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection; if there are too many, close the oldest idle connection."""
        super().connection_made(transport)
        self._opened = self.loop.time()
        self._timer: asyncio.TimerHandle | None = None
        self._head_bytes: int | None = 0
        self._make_room()
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer of a connection that has ended."""
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read a piece of a request; abort the connection if the head is too large."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self._head_bytes is not None:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES:
                self.transport.abort()

    def on_message_begin(self) -> None:
        """Start the timer for the head of a request."""
        self._head_bytes = 0
        self._start_timer()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Stop the timer: the head of a request is complete."""
        self._head_bytes = None
        self._stop_timer()
        super().on_headers_complete()

    @property
    def _idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _make_room(self) -> None:
        """Abort the oldest idle connection if there are too many."""
        connections = cast("set[ClientConnection]", self.connections)  # uvicorn keeps this set
        if len(connections) <= MOST:
            return
        alive = [one for one in connections if not one.transport.is_closing()]
        if len(alive) > MOST:
            oldest = min((one for one in alive if one._idle), key=lambda one: one._opened)
            oldest.transport.abort()

    def _start_timer(self) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(HEAD_SECONDS, self._abort)

    def _stop_timer(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _abort(self) -> None:
        self.transport.abort()
