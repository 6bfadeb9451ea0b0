"""The client that commands use to ask the server of their warehouse.

Every command imports this module, so it imports little besides the standard library.
"""

import http.client
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urlencode

from provhouse.model.errors import (
    BadInput,
    Busy,
    Damaged,
    NotFound,
    ProvhouseError,
    Unavailable,
    UsageError,
)

from .server_file import BODY_BYTES, HOST, ServerInfo, running, token

PIECE = 1 << 16
ERRORS: dict[int, type[ProvhouseError]] = {
    kind.exit_status: kind for kind in (UsageError, NotFound, BadInput, Unavailable, Busy, Damaged)
}


@dataclass(frozen=True)
class Reply:
    """An answer as it arrives: its bytes, and how many of the asked items are missing."""

    pieces: Iterator[bytes]
    absent: int
    first_absent: str


class Client:
    """A client of one server."""

    def __init__(self, warehouse: Path, server: ServerInfo) -> None:
        self._warehouse = warehouse
        self._server = server

    @classmethod
    def of(cls, warehouse: Path) -> Self | None:
        """Return a client of this warehouse's server, or None if none is running."""
        server = running(warehouse)
        return cls(warehouse, server) if server else None

    def health(self) -> dict[str, Any]:
        """Return whether the server can answer, and from which generation, or why it cannot."""
        with self._request("GET", "/v1/health") as response:
            return dict(json.loads(response.read()))

    def accepts(self, question: Mapping[str, object]) -> bool:
        """Return whether a question is small enough for the server."""
        return len(json.dumps(question)) <= BODY_BYTES

    @contextmanager
    def ask(
        self, path: str, question: Mapping[str, object], accept: str, options: Mapping[str, object]
    ) -> Iterator[Reply]:
        """Post a question and yield the reply.

        Raises the same errors as an answer without a server.
        """
        body = json.dumps(question).encode()
        if len(body) > BODY_BYTES:
            raise UsageError(
                "The question is too large for the server",
                f"It has {len(body):,} bytes, and the limit is {BODY_BYTES:,}",
                "Ask about fewer items at once",
            )
        headers = {"Accept": accept, "Content-Type": "application/json"}
        address = f"{path}?{urlencode(options)}" if options else path
        with self._request("POST", address, body, headers) as response:
            if response.status != 200:
                raise _error(response)
            absent = int(response.headers.get("Provhouse-Absent", 0))
            first = unquote(response.headers.get("Provhouse-First-Absent", ""))
            yield Reply(_pieces(response), absent, first)

    @contextmanager
    def _request(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] = {}
    ) -> Iterator[http.client.HTTPResponse]:
        connection = http.client.HTTPConnection(HOST, self._server.port)
        headers = {"Authorization": f"Bearer {token(self._warehouse)}", **headers}
        try:
            connection.request(method, path, body, headers)
            yield connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            raise Unavailable(
                f"Lost the connection to the server at {self._server.address}",
                f"{error or type(error).__name__}",
                "Run the command again; to restart the server, run `provhouse down` and `up`",
            ) from error
        finally:
            connection.close()


def _pieces(response: http.client.HTTPResponse) -> Iterator[bytes]:
    while piece := response.read1(PIECE):
        yield piece
    if response.length:  # otherwise a truncated answer would look complete
        raise http.client.IncompleteRead(b"", response.length)


def _error(response: http.client.HTTPResponse) -> ProvhouseError:
    try:
        problem = json.loads(response.read())
        kind = ERRORS.get(problem["exit_status"], ProvhouseError)
        return kind(problem["title"], problem["detail"], problem["remedy"])
    except (ValueError, KeyError, TypeError):
        return Unavailable("The server cannot answer", f"It returned the status {response.status}")
