"""HTTP requests to an ASGI application in this process, without a socket."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

HOST = "here"


@dataclass
class Reply:
    """The reply of an application to one request."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


def send_request(
    app: Any,
    method: str,
    target: str,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
) -> Reply:
    """Send one request to an application and return its complete reply."""
    parts = urlsplit(target)
    given = {"host": HOST, **(headers or {})}
    if body:
        given = {"content-length": str(len(body)), "content-type": "application/json", **given}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": parts.path,
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
        "client": ("127.0.0.1", 1),
        "server": (HOST, 80),
        "state": {},
    }
    reply = Reply(0, [], b"")

    async def exchange() -> None:
        sent = False
        leaves = asyncio.Event()

        async def receive() -> dict[str, object]:
            nonlocal sent
            if sent:
                await leaves.wait()
                return {"type": "http.disconnect"}
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                reply.status = message["status"]
                reply.headers = [(n.decode(), v.decode()) for n, v in message["headers"]]
            else:
                reply.body += message.get("body", b"")

        try:
            await app(scope, receive, send)
        except Exception:
            # a server only logs an error that occurs after the reply has begun
            if not reply.status:
                raise

    asyncio.run(exchange())
    return reply
