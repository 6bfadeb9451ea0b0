"""Middleware that checks the host, the token and the size of a request before it is handled."""

import asyncio
import hmac
from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import HTTPException
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .problems import refusal
from .server_file import BODY_BYTES

BODIES_BYTES = 2 * BODY_BYTES
"""The largest total size of the bodies of all current requests, in bytes."""
BODY_SECONDS = 30.0
"""The time within which the body of a request must arrive, in seconds."""

_CLOSE = {"Connection": "close"}  # the rest of the request is not read
_RETRY = {**_CLOSE, "Retry-After": "1"}


@dataclass(frozen=True)
class Access:
    """The token that clients must send, and the host names under which they may call."""

    token: str
    hosts: frozenset[str]


@dataclass(frozen=True)
class Refused(Exception):
    """The reason why a request is rejected, with its HTTP status."""

    status: int
    why: str
    headers: Mapping[str, str]


class AccessMiddleware:
    """Admits requests with the right token and host, and limits the size of their bodies."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access
        self._body_bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            self._check(scope["path"], Headers(scope=scope))
        except Refused as no:
            await refusal(no.status, no.why, no.headers)(scope, receive, send)
            return
        body = _Body(self, receive)
        try:
            await self._app(scope, body.receive, send)
        finally:
            self._body_bytes -= body.size

    def _check(self, path: str, headers: Headers) -> None:
        # DNS rebinding: if the host name of a web page resolves to this machine, the page can send
        # requests here, but with that name as their host.
        if headers.get("host", "") not in self._access.hosts:
            raise Refused(403, "The Host header does not name the address of this server", _CLOSE)
        shown = headers.get("authorization", "").encode()
        token = f"Bearer {self._access.token}".encode()
        if path != "/v1/health" and not hmac.compare_digest(shown, token):
            raise Refused(
                401,
                "The Authorization header is not `Bearer` with the token in WAREHOUSE/server/token",
                {"WWW-Authenticate": "Bearer", **_CLOSE},
            )
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 15 or int(length) > BODY_BYTES:
            raise Refused(413, _TOO_LARGE, _CLOSE)

    def reserve(self, size: int) -> None:
        """Reserve memory for a piece of a body; raises HTTPException if the limit is reached."""
        if self._body_bytes + size > BODIES_BYTES:
            raise HTTPException(429, "The requests in progress are too large together", _RETRY)
        self._body_bytes += size


_TOO_LARGE = f"The request is larger than {BODY_BYTES:,} bytes; split it into several"


class _Body:
    """The body of one request, counted as it arrives."""

    def __init__(self, middleware: AccessMiddleware, receive: Receive) -> None:
        self._middleware = middleware
        self._receive = receive
        self._deadline = asyncio.get_running_loop().time() + BODY_SECONDS
        self._complete = False
        self.size = 0

    async def receive(self) -> Message:
        """Return the next piece; raises HTTPException if the body is too large or too slow."""
        if self._complete:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise HTTPException(
                408, f"The request did not arrive within {BODY_SECONDS:.0f} seconds", _CLOSE
            ) from None
        self._complete = not message.get("more_body", False)
        piece = len(message.get("body", b""))
        if self.size + piece > BODY_BYTES:
            raise HTTPException(413, _TOO_LARGE, _CLOSE)
        self._middleware.reserve(piece)
        self.size += piece
        return message
