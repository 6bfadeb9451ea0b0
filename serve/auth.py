"""Around the application: who may come in, and how much they may bring, before anything is read."""

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
"""Of all requests at once."""
BODY_SECONDS = 30.0
"""What a body may take to come."""

_CLOSE = {"Connection": "close"}  # what is still to come is not waited for
_RETRY = {**_CLOSE, "Retry-After": "1"}


@dataclass(frozen=True)
class Access:
    """What a client must show, and the addresses by which it may call us."""

    token: str
    hosts: frozenset[str]


@dataclass(frozen=True)
class Refused(Exception):
    """Why a request does not come in."""

    status: int
    why: str
    headers: Mapping[str, str]


class AccessMiddleware:
    """Lets requests in that show the token and name our address; their bodies within limits."""

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
        # A web page that lets its own name point to this machine would come with that name.
        if headers.get("host", "") not in self._access.hosts:
            raise Refused(403, "The request should name the address that the server has", _CLOSE)
        shown = headers.get("authorization", "").encode()
        token = f"Bearer {self._access.token}".encode()
        if path != "/v1/health" and not hmac.compare_digest(shown, token):
            raise Refused(
                401,
                "The header Authorization should be `Bearer` and what WAREHOUSE/server/token holds",
                {"WWW-Authenticate": "Bearer", **_CLOSE},
            )
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 15 or int(length) > BODY_BYTES:
            raise Refused(413, _TOO_LARGE, _CLOSE)

    def reserve(self, size: int) -> None:
        """Make room for so many bytes of a body; raises HTTPException where there is none."""
        if self._body_bytes + size > BODIES_BYTES:
            raise HTTPException(429, "All bodies that come in should fit into memory", _RETRY)
        self._body_bytes += size


_TOO_LARGE = f"A request should have at most {BODY_BYTES:,} bytes; ask in several"


class _Body:
    """The body of one request as it comes in."""

    def __init__(self, middleware: AccessMiddleware, receive: Receive) -> None:
        self._middleware = middleware
        self._receive = receive
        self._deadline = asyncio.get_running_loop().time() + BODY_SECONDS
        self._complete = False
        self.size = 0

    async def receive(self) -> Message:
        """The next piece; raises HTTPException where it is too much, or does not come in time."""
        if self._complete:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise HTTPException(
                408, f"A request should come within {BODY_SECONDS:.0f} seconds", _CLOSE
            ) from None
        self._complete = not message.get("more_body", False)
        piece = len(message.get("body", b""))
        if self.size + piece > BODY_BYTES:
            raise HTTPException(413, _TOO_LARGE, _CLOSE)
        self._middleware.reserve(piece)
        self.size += piece
        return message
