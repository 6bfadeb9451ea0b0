"""Errors as an HTTP answer: RFC 9457, with the exit status that a command would end with."""

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
    TooSlow,
    Unavailable,
    UsageError,
)
from provhouse.output.escape import in_json

from .log import log

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 1


class Crowded(Unavailable):
    """More ask than can be answered."""


_STATUS: dict[type[ProvhouseError], int] = {
    Crowded: 429,
    TooSlow: 504,
    UsageError: 400,
    NotFound: 404,
    BadInput: 400,
    Unavailable: 503,
    Busy: 409,
    Damaged: 500,
}
"""The first that fits holds."""


def problem(error: ProvhouseError) -> Response:
    """An error of ours; ``title`` is what was wanted, ``detail`` what was found."""
    status = next((s for kind, s in _STATUS.items() if isinstance(error, kind)), 500)
    headers = {"Retry-After": str(RETRY_SECONDS)} if status in (429, 503) else None
    return _response(
        status, error.wanted, error.found, error.remedy, error.exit_status, headers=headers
    )


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
    # Names are in it, and whoever asks may be a person on a terminal.
    text = in_json(json.dumps(content, ensure_ascii=False)).encode(errors="backslashreplace")
    return Response(text, status, headers, media_type=MEDIA_TYPE)


def refusal(status: int, why: str, headers: Mapping[str, str]) -> Response:
    """One that is HTTP's own, such as 404."""
    return _response(status, why, exit_status=2, headers=dict(headers))


def install_handlers(app: FastAPI) -> None:
    """Let every error of an application go out in this form."""

    @app.exception_handler(ProvhouseError)
    async def known(_: Request, error: ProvhouseError) -> Response:
        if isinstance(error, Damaged):
            log.error("%s", error)
        return problem(error)

    @app.exception_handler(RequestValidationError)
    async def misused(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "The body"
        return problem(UsageError(f"{where} should be as /v1/openapi.json says", first["msg"]))

    @app.exception_handler(HTTPException)
    async def http(_: Request, error: HTTPException) -> Response:
        return refusal(error.status_code, str(error.detail), error.headers or {})

    @app.exception_handler(Exception)
    async def defect(_: Request, error: Exception) -> Response:
        log.exception("A defect", exc_info=error)
        return _response(500, "This is a defect of provhouse; the server's log has more of it")
