"""A server that a client reaches by its URL, on another machine or on this one.

Every command imports this module, so it imports little besides the standard library.
"""

import http.client
import re
import ssl
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from provhouse.model.errors import UsageError

from .server_file import HOST, ServerInfo

_TOKEN = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True)
class RemoteServer:
    """The URL of a server, and the file with the certificates of the trusted authorities."""

    secure: bool
    host: str
    port: int
    ca_file: Path | None = None

    @property
    def address(self) -> str:
        """The URL of the server."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.secure else 'http'}://{host}:{self.port}"

    def connection(self, seconds: float) -> http.client.HTTPConnection:
        """Return an unopened connection with a time limit for each network operation."""
        if not self.secure:
            return http.client.HTTPConnection(self.host, self.port, seconds)
        context = _context(self.ca_file)
        return http.client.HTTPSConnection(self.host, self.port, timeout=seconds, context=context)


AnyServer = ServerInfo | RemoteServer
"""The server of a warehouse on this machine, or a server that is named by its URL."""


def remote_server(url: str, ca_file: Path | None = None) -> RemoteServer:
    """Return the server with this URL.

    ``ca_file`` has the certificates, in PEM, of the authorities to trust instead of the system's
    authorities. Raises UsageError for a URL that is not the address of a server, and for http to
    another machine, since anyone on the network between could read the token.
    """
    parts, port = _split(url)
    secure, host = parts.scheme == "https", parts.hostname or ""
    local = host in (HOST, "localhost")
    extra = parts.path.strip("/") or parts.query or parts.fragment or parts.username
    if not host or extra or not (secure or (parts.scheme == "http" and local and port)):
        raise UsageError(
            f"Cannot connect to {url!r}",
            f"The address of a server is https://HOST:PORT, or http://{HOST}:PORT on this machine",
            "Run `provhouse status` on the server's machine to see its address there",
        )
    if ca_file and secure:
        _check_authorities(ca_file)
    return RemoteServer(secure, HOST if local and not secure else host, port or 443, ca_file)


def checked_token(token: str) -> str:
    """Return a token without surrounding spaces; raises UsageError if it cannot be a token."""
    found = token.strip()
    if not _TOKEN.fullmatch(found):
        raise UsageError(
            "The token is empty or contains an invalid character",
            f"It has {len(found)} characters",
            "Use the line that `provhouse token add` printed",
        )
    return found


def _split(url: str) -> tuple[SplitResult, int | None]:
    try:
        parts = urlsplit(url)
        return parts, parts.port
    except ValueError:  # for example, a port that is not a number
        return SplitResult("", "", "", "", ""), None


def _check_authorities(ca_file: Path) -> None:
    try:
        _context(ca_file)
    except OSError as error:
        raise UsageError(
            f"Cannot read the certificates in {ca_file}",
            error.strerror or str(error),
            "Name a file in PEM with --set ca_file=FILE or PROVHOUSE_CA_FILE",
        ) from error


@cache
def _context(ca_file: Path | None) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=ca_file)
