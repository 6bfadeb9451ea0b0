"""Errors become problem documents. Clients raise the errors again; refusals include a remedy."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI, Request

from helpers.asgi import HOST, send_request
from provhouse.model.errors import (
    BadInput,
    Busy,
    Damaged,
    NotFound,
    ProvhouseError,
    StillFilling,
    TooSlow,
    Unavailable,
    UsageError,
)
from provhouse.serve import auth
from provhouse.serve.auth import Access, AccessMiddleware
from provhouse.serve.client import _error
from provhouse.serve.people import People
from provhouse.serve.problems import install_handlers, problem

PARTS = ("What is wrong", "Why", "What to do")
ERRORS = (
    *(kind(*PARTS) for kind in (UsageError, NotFound, BadInput, Unavailable, TooSlow, Busy)),
    Damaged(*PARTS),
    StillFilling(*PARTS, 7),
)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_is_the_same_after_http(error: ProvhouseError) -> None:
    app = FastAPI()
    install_handlers(app)
    sent = problem(error, Request({"type": "http", "app": app}))
    found = _error(sent.status_code, bytes(sent.body), sent.headers.get("retry-after"))
    assert (type(found), vars(found)) == (type(error), vars(error))


PEOPLE = People(Path("none"), "secret")


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> FastAPI:
    """An application that reads requests of at most 8 bytes, for at most a tenth of a second."""
    for name, value in {"BODY_BYTES": 8, "BODIES_BYTES": 6, "BODY_SECONDS": 0.1}.items():
        monkeypatch.setattr(auth, name, value)
    made = FastAPI(openapi_url=None)
    install_handlers(made)
    made.add_middleware(AccessMiddleware, access=Access(PEOPLE, frozenset({HOST})))

    @made.post("/")
    async def read(request: Request) -> int:
        return len(await request.body())

    return made


TOKEN = {"authorization": "Bearer secret"}
REFUSED: dict[int, tuple[Mapping[str, str], bytes, str, str]] = {
    401: ({}, b"", "missing, incomplete or unknown", "WAREHOUSE/server/token"),
    403: ({**TOKEN, "host": "evil"}, b"", "It is 'evil'", "provhouse status"),
    408: ({**TOKEN, "content-length": "4"}, b"", "Only 0 bytes", "Send the whole body at once"),
    413: (TOKEN, b"123456789", "Its Content-Length is '9'", "Split it"),
    429: (TOKEN, b"1234567", "exceed 6 bytes", "again in a second"),
}
"""By status: a request's headers and body, and parts of the error's cause and remedy."""


@pytest.mark.parametrize("status", sorted(REFUSED))
def test_a_refusal_says_what_why_and_what_to_do(
    app: FastAPI, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers, body, found, remedy = REFUSED[status]

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        """Send no body, like a client that stops sending."""

        async def nothing() -> dict[str, Any]:
            await asyncio.sleep(60)
            return {}

        await app(scope, nothing, send)

    reply = send_request(slow if status == 408 else app, "POST", "/", headers, body)
    document = json.loads(reply.body)
    assert reply.status == document["status"] == status
    assert document["title"]
    assert found in document["detail"]
    assert remedy in document["remedy"]
