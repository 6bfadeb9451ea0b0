"""The client that commands use to ask the server of their warehouse.

Every command imports this module, so it imports little besides the standard library.
"""

import http.client
import json
import secrets
import ssl
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
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
    StillFilling,
    TooSlow,
    Unavailable,
    UsageError,
)

from .health import SILENT_SECONDS, Watched, health
from .remote import AnyServer, RemoteServer
from .server_file import BODY_BYTES, running, token

PIECE = 1 << 16
ERRORS: dict[int, type[ProvhouseError]] = {
    kind.exit_status: kind for kind in (UsageError, NotFound, BadInput, Unavailable, Busy, Damaged)
}


@dataclass(frozen=True)
class Reply:
    """An answer as it arrives: its bytes, and the number of asked items that are missing."""

    pieces: Iterator[bytes]
    absent: int
    first_absent: str


class Client:
    """A client of one server."""

    def __init__(self, warehouse: Path, server: AnyServer, known: str = "") -> None:
        """Create a client that sends the token ``known``, or the warehouse's token by default."""
        self._warehouse = warehouse
        self._server = server
        self._known = known

    @classmethod
    def of(cls, warehouse: Path) -> Self | None:
        """Return a client of this warehouse's server, or None if none is running."""
        server = running(warehouse)
        return cls(warehouse, server) if server else None

    def health(self) -> dict[str, Any]:
        """Return the server's health: its generation, or the reason why it cannot answer."""
        with self._translated():
            return health(self._server)

    def accepts(self, question: Mapping[str, object]) -> bool:
        """Return whether a question is small enough for the server."""
        return len(json.dumps(question)) <= BODY_BYTES

    @contextmanager
    def ask(
        self, path: str, question: Mapping[str, object], accept: str, options: Mapping[str, object]
    ) -> Iterator[Reply]:
        """Post a question and yield the reply.

        Raises the errors that a command would raise if it answered without a server.
        """
        body = json.dumps(question).encode()
        if len(body) > BODY_BYTES:
            raise UsageError(
                "The question is too large for the server",
                f"It has {len(body):,} bytes, and the limit is {BODY_BYTES:,}",
                "Ask about fewer items at once",
            )
        mark = secrets.token_hex(16)
        headers = {
            "Provhouse-Mark": mark,
            "Authorization": f"Bearer {self._known or token(self._warehouse)}",
            "Accept": accept,
            "Content-Type": "application/json",
        }
        address = f"{path}?{urlencode(options)}" if options else path
        watched = Watched(self._server)
        with ExitStack() as stack:
            with self._translated(watched):
                connection = stack.enter_context(watched.connection())
                connection.request("POST", address, body, headers)
                response = connection.getresponse()
                if response.status != 200:
                    again = response.getheader("Retry-After")
                    raise _error(response.status, response.read(), again)
            absent = int(response.headers.get("Provhouse-Absent", 0))
            first = unquote(response.headers.get("Provhouse-First-Absent", ""))
            yield Reply(self._pieces(response, watched, mark.encode()), absent, first)

    def _pieces(
        self, response: http.client.HTTPResponse, watched: Watched, mark: bytes
    ) -> Iterator[bytes]:
        """Yield the body up to ``mark``, which results never contain; raise the error after it."""
        while piece := self._piece(response, watched):
            before, marked, problem = piece.partition(mark)
            if before:
                yield before
            if marked:
                raise _error(response.status, problem + _rest(response))

    def _piece(self, response: http.client.HTTPResponse, watched: Watched) -> bytes:
        with self._translated(
            watched
        ):  # errors of the caller, such as a full disk, stay as they are
            piece = response.read1(PIECE)
            if not piece and response.length:  # otherwise a truncated answer would look complete
                raise http.client.IncompleteRead(b"", response.length)
            return piece

    @contextmanager
    def _translated(self, watched: Watched | None = None) -> Iterator[None]:
        """Raise Unavailable if the connection is lost during the block."""
        try:
            yield
        except ssl.SSLCertVerificationError as error:
            raise Unavailable(
                f"The certificate of the server at {self._server.address} is not trusted",
                error.verify_message,
                "Name the file with the authority that signed it: --set ca_file=FILE, or "
                "PROVHOUSE_CA_FILE",
            ) from error
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, TimeoutError) or (watched and watched.silent):
                raise self._silent() from error
            raise Unavailable(
                f"Lost the connection to the server at {self._server.address}",
                f"{error or type(error).__name__}",
                self._remedy(),
            ) from error

    def _remedy(self) -> str:
        if isinstance(self._server, RemoteServer):
            return "Check the address, and on its machine, with `provhouse status`, if it runs"
        return "Run the command again; to restart the server, run `provhouse down` and `up`"

    def _silent(self) -> Unavailable:
        if isinstance(self._server, RemoteServer):
            return Unavailable(
                f"The server at {self._server.address} does not respond",
                f"A connection or a health check got no reply for {SILENT_SECONDS:g} seconds",
                self._remedy(),
            )
        return Unavailable(
            f"The server at {self._server.address} does not respond",
            f"Its process {self._server.pid} is stopped or hangs: a health check got no reply for"
            f" {SILENT_SECONDS:g} seconds",
            "End it with `provhouse down`, then run the command again",
        )


def _rest(response: http.client.HTTPResponse) -> bytes:
    """Return the rest of a body, or what can still be read of it."""
    try:
        return response.read()
    except http.client.IncompleteRead as error:
        return error.partial
    except (OSError, http.client.HTTPException):
        return b""


def _error(status: int, body: bytes, again: str | None = None) -> ProvhouseError:
    """Return the error that a body describes; ``again`` is the Retry-After in seconds."""
    try:
        problem = json.loads(body)
        kind = ERRORS.get(problem["exit_status"], ProvhouseError)
        parts = problem["title"], problem["detail"], problem["remedy"]
        if problem["status"] == http.HTTPStatus.GATEWAY_TIMEOUT:
            return StillFilling(*parts, int(again)) if again else TooSlow(*parts)
        return kind(*parts)
    except (ValueError, KeyError, TypeError):
        return Unavailable("The server cannot answer", f"It returned the status {status}")
