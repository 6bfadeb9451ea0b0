"""Ask the server of a warehouse. Answers are the same objects with and without a server."""

import os
from pathlib import Path

from provhouse.output.arrow_writer import read
from provhouse.output.questions.asking import Asking, Found
from provhouse.serve.client import Client
from provhouse.serve.remote import checked_token, remote_server

from .reader import Reader

ARROW = "application/vnd.apache.arrow.stream"


def connect(
    address: str, token: str, *, ca_file: str | os.PathLike[str] | None = None
) -> "Connection":
    """Connect to a warm server, to ask questions.

    ``address`` is the ``https`` URL of a server on another machine, or the ``http`` URL of a server
    on this machine, which ``provhouse status`` shows. ``token`` is a token that ``provhouse token
    add`` printed, or the content of ``WAREHOUSE/server/token``. ``ca_file`` is a PEM file with the
    certificates of the authorities to trust instead of the system's authorities. Raises UsageError
    if an argument is not valid.

    >>> with provhouse.connect(address, token) as server:
    ...     server.lineage("invoices/9", depth=1).items[0]
    Item(item='orders/17', table='orders', depth=1, set=None)
    """
    server = remote_server(address, Path(ca_file) if ca_file is not None else None)
    return Connection(Client(Path(), server, checked_token(token)))


class Connection(Reader):
    """A warehouse whose server answers the questions; use it in a ``with`` statement."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def ask(self, asked: Asking[Found]) -> Found:
        """Ask the server, and return its answer."""
        return fetch(self._client, asked)

    def close(self) -> None:
        """Do nothing: each question opens and closes its own connection."""


def fetch(client: Client, asked: Asking[Found]) -> Found:
    """Ask a server, and return its answer.

    Raises the same errors as a question that this process answers without a server.
    """
    with client.ask(asked.path, asked.body(), ARROW, {}) as reply:
        found: Found = read(asked.found_type(), b"".join(reply.pieces))
    return found
