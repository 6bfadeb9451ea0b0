"""Ask a server for its health, and notice a server that no longer responds.

A process that was stopped (SIGSTOP), or that hangs, still has its port open: the operating system
accepts connections for the process, but nothing is ever sent. An answer may take minutes, so a time
limit on the answer would not distinguish such a server from a busy server. A health check takes
milliseconds, however many questions the server is answering.

Every command imports this module, so it imports little besides the standard library.
"""

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from threading import Event, Thread
from typing import Any

from .remote import AnyServer, RemoteServer
from .server_file import HOST

SILENT_SECONDS = 10.0
"""The time limit for a response to a health check, and the time between two checks, in seconds."""


def health(server: AnyServer) -> dict[str, Any]:
    """Return the server's health: its generation, or the reason why it cannot answer.

    Raises OSError or HTTPException if the server does not respond in time.
    """
    with closing(_connection(server)) as connection:
        connection.request("GET", "/v1/health")
        return dict(json.loads(connection.getresponse().read()))


class Watched:
    """A connection to a server, shut down when the server no longer responds to health checks."""

    def __init__(self, server: AnyServer) -> None:
        self._server = server
        self._over = Event()
        self.silent = False
        """Whether the connection was shut down because the server did not respond."""

    @contextmanager
    def connection(self) -> Iterator[http.client.HTTPConnection]:
        """Connect to the server and yield the connection; a thread watches it during the block."""
        connection = _connection(self._server)
        try:
            connection.connect()
            connection.sock.settimeout(None)
            Thread(target=self._watch, args=(connection.sock,), daemon=True).start()
            yield connection
        finally:
            self._over.set()
            connection.close()

    def _watch(self, connected: socket.socket) -> None:
        while not self._over.wait(SILENT_SECONDS):
            try:
                health(self._server)
            except (OSError, http.client.HTTPException, ValueError):
                self.silent = True
                with suppress(OSError):  # closed in the meantime
                    connected.shutdown(socket.SHUT_RDWR)
                return


def _connection(server: AnyServer) -> http.client.HTTPConnection:
    if isinstance(server, RemoteServer):
        return server.connection(SILENT_SECONDS)
    return http.client.HTTPConnection(HOST, server.port, SILENT_SECONDS)
