"""Errors as problem documents (RFC 9457), with the exit status that a command would have."""

import json
from collections.abc import Mapping

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

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
from provhouse.output.escape import in_json

from .log import log
from .people import Forbidden
from .private import Folders

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 1


class Crowded(Unavailable):
    """Too many questions run or wait."""


_STATUS: dict[type[ProvhouseError], int] = {
    Crowded: 429,
    TooSlow: 504,
    Forbidden: 403,
    UsageError: 400,
    NotFound: 404,
    BadInput: 400,
    Unavailable: 503,
    Busy: 409,
    Damaged: 500,
}
"""The HTTP status of each class of errors; the first class that an error belongs to counts."""


def problem(error: ProvhouseError, request: Request) -> Response:
    """Return the response for an error: ``title`` is the problem, ``detail`` the reason."""
    status = next((s for kind, s in _STATUS.items() if isinstance(error, kind)), 500)
    seconds = error.seconds if isinstance(error, StillFilling) else RETRY_SECONDS
    retry = isinstance(error, StillFilling) or status in (429, 503)
    headers = {"Retry-After": str(seconds)} if retry else None
    folders: Folders = request.app.state.folders
    parts = (error.wanted, error.found, error.remedy)
    title, detail, remedy = (folders.told(part, request.scope) for part in parts)
    return _response(status, title, detail, remedy, error.exit_status, headers)


def _response(
    status: int,
    title: str,
    detail: str = "",
    remedy: str = "",
    exit_status: int = 1,
    headers: dict[str, str] | None = None,
) -> Response:
    content: dict[str, object] = {
        "title": title,
        "status": status,
        "detail": detail,
        "remedy": remedy,
        "exit_status": exit_status,
    }
    # The text may contain names of items, and curl may print it on a terminal.
    text = in_json(json.dumps(content, ensure_ascii=False)).encode(errors="backslashreplace")
    return Response(text, status, headers, media_type=MEDIA_TYPE)


class RefusedRequest(HTTPException):
    """A request refused with a specific HTTP status; it has the parts of a ProvhouseError."""

    def __init__(
        self, status: int, wanted: str, found: str, remedy: str, headers: Mapping[str, str]
    ) -> None:
        super().__init__(status, wanted, dict(headers))
        self.found = found
        self.remedy = remedy


def refusal(error: RefusedRequest) -> Response:
    """Return the response for a refused request."""
    headers = dict(error.headers or {})
    return _response(
        error.status_code, error.detail, error.found, error.remedy, exit_status=2, headers=headers
    )


def install_handlers(app: FastAPI, private: Folders | None = None) -> None:
    """Make an application send every error as a problem document without private folders' paths."""
    app.state.folders = private or Folders()

    @app.exception_handler(ProvhouseError)
    async def known(request: Request, error: ProvhouseError) -> Response:
        if isinstance(error, Damaged):
            log.error("%s", error)
        return problem(error, request)

    @app.exception_handler(RequestValidationError)
    async def misused(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "body"
        return problem(
            UsageError(f"Invalid request: {where}", first["msg"], "See /v1/openapi.json"), request
        )

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        if isinstance(error, RefusedRequest):
            return refusal(error)
        found = "The server cannot read the request"
        if error.status_code in (404, 405):
            found = f"The server has no route {request.method} {request.url.path}"
        remedy, headers = "See /v1/openapi.json for all routes", error.headers or {}
        return refusal(RefusedRequest(error.status_code, str(error.detail), found, remedy, headers))

    @app.exception_handler(Exception)
    async def defect(_: Request, error: Exception) -> Response:
        log.exception("An internal error", exc_info=error)
        return _response(500, "This is a bug in provhouse; see the server's log for details")
