"""Middleware that checks the host, the token and the size of a request before it is handled."""

import asyncio
from dataclasses import dataclass
from typing import Protocol

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .people import Person, Unidentified
from .problems import RefusedRequest, refusal
from .server_file import BODY_BYTES

BODIES_BYTES = 2 * BODY_BYTES
"""The largest total size of the bodies of all current requests, in bytes."""
BODY_SECONDS = 30.0
"""The time limit for the body of a request to arrive, in seconds."""

_CLOSE = {"Connection": "close"}  # the rest of the request is not read
_RETRY = {**_CLOSE, "Retry-After": "1"}


class Identifies(Protocol):
    """A register that identifies the person to whom a request's token belongs."""

    def person(self, authorization: str) -> Person:
        """Return the person with the token in an Authorization header; raises Unidentified."""
        ...


@dataclass(frozen=True)
class Access:
    """Which people may send requests, and which values the Host header of a request may have."""

    people: Identifies
    hosts: frozenset[str]
    """Host names with a port."""
    names: frozenset[str] = frozenset()
    """Host names that are accepted with any port, in lower case."""
    public: frozenset[str] = frozenset({"/v1/health"})
    """Paths that need no token."""
    static: tuple[str, ...] = ()
    """Prefixes of the paths of static files, which need no token either."""
    origins: frozenset[str] | None = None
    """The values that an Origin header may have, or None if any is accepted."""

    def is_public(self, path: str) -> bool:
        """Return whether a path needs no token."""
        return path in self.public or path.startswith(self.static)

    def admits(self, host: str) -> bool:
        """Return whether a Host header has one of the permitted values."""
        name, _, port = host.rpartition(":")
        alone = name if name and port.isdecimal() else host
        return host in self.hosts or alone.strip("[]").lower() in self.names


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
            scope["person"] = self._check(scope["path"], Headers(scope=scope))
        except RefusedRequest as no:
            await refusal(no)(scope, receive, send)
            return
        body = _Body(self, receive)
        try:
            await self._app(scope, body.receive, send)
        finally:
            self._body_bytes -= body.size

    def _check(self, path: str, headers: Headers) -> Person | None:
        """Return the sender of a request, or None for a request that needs no token."""
        # DNS rebinding: if the host name of a web page resolves to this machine, the page can send
        # requests to this server, but with that name as their host.
        host = headers.get("host", "")
        if not self._access.admits(host):
            raise RefusedRequest(
                403,
                "The Host header does not name the address of this server",
                f"It is {host!r}, which the setting server_names does not list",
                "Use the address that `provhouse status` shows, or add the name to server_names",
                _CLOSE,
            )
        self._check_origin(headers.get("origin"))
        person = None if self._access.is_public(path) else self._person(headers)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 15 or int(length) > BODY_BYTES:
            raise _too_large(f"Its Content-Length is {length[:20]!r}")
        return person

    def _check_origin(self, origin: str | None) -> None:
        """Raise Refused if a browser's Origin header names another page as the sender."""
        if self._access.origins is not None and origin not in {None, *self._access.origins}:
            raise RefusedRequest(
                403,
                "The request comes from another page",
                f"Its Origin header is {origin!r}",
                "Open the link that the command printed",
                _CLOSE,
            )

    def _person(self, headers: Headers) -> Person:
        try:
            return self._access.people.person(headers.get("authorization", ""))
        except Unidentified as no:
            raise RefusedRequest(
                401,
                "The request has no valid token",
                no.why,
                no.remedy,
                {"WWW-Authenticate": "Bearer", **_CLOSE},
            ) from None

    def reserve(self, size: int) -> None:
        """Count ``size`` bytes of a body; raises Refused above ``BODIES_BYTES`` in total."""
        if self._body_bytes + size > BODIES_BYTES:
            raise RefusedRequest(
                429,
                "The requests in progress are too large in total",
                f"Their bodies exceed {BODIES_BYTES:,} bytes",
                "Send the request again in a second",
                _RETRY,
            )
        self._body_bytes += size


def _too_large(why: str) -> RefusedRequest:
    title = f"The request is larger than {BODY_BYTES:,} bytes"
    return RefusedRequest(413, title, why, "Split it into several requests", _CLOSE)


class _Body:
    """The body of one request, counted as it arrives."""

    def __init__(self, middleware: AccessMiddleware, receive: Receive) -> None:
        self._middleware = middleware
        self._receive = receive
        self._deadline = asyncio.get_running_loop().time() + BODY_SECONDS
        self._complete = False
        self.size = 0

    async def receive(self) -> Message:
        """Return the next piece of the body; raises Refused if it is too large or slow."""
        if self._complete:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise RefusedRequest(
                408,
                f"The request did not arrive within {BODY_SECONDS:.0f} seconds",
                f"Only {self.size:,} bytes of its body arrived",
                "Send the whole body at once, or split it into several requests",
                _CLOSE,
            ) from None
        self._complete = not message.get("more_body", False)
        piece = len(message.get("body", b""))
        if self.size + piece > BODY_BYTES:
            raise _too_large(f"{self.size + piece:,} bytes of its body have arrived")
        self._middleware.reserve(piece)
        self.size += piece
        return message
