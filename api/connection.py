"""Ask the server of a warehouse. The answers are the same objects as without a server."""

import os
from pathlib import Path
from typing import Any

from provhouse.model.answer import Answer
from provhouse.output.arrow_stream import read
from provhouse.query.depends import Dependency
from provhouse.query.diff import Diff
from provhouse.query.evaluate import Evaluation
from provhouse.query.explain import Explanation
from provhouse.query.find import Finding
from provhouse.query.generations import Generation
from provhouse.query.modules import Invocations, Modules
from provhouse.query.operations import Operations
from provhouse.query.path import Paths
from provhouse.query.show_set import ShownSet
from provhouse.query.subgraph import Subgraph
from provhouse.query.view import View
from provhouse.query.what_if import WhatIf
from provhouse.query.what_if_each import WhatIfEach
from provhouse.query.why import Why
from provhouse.query.why_changed import WhyChanged
from provhouse.query.zoom import Zoomed
from provhouse.query.zoom_diff import ZoomedDiff
from provhouse.query.zoom_path import ZoomedPath
from provhouse.query.zoom_what_if import ZoomedWhatIf
from provhouse.serve.client import Client
from provhouse.serve.remote import checked_token, remote_server

from .questions import Asked, Found
from .reader import Reader

ARROW = "application/vnd.apache.arrow.stream"
RESULTS: dict[str, Any] = {
    "/v1/lineage": Answer,
    "/v1/impact": Answer,
    "/v1/path": Paths,
    "/v1/subgraph": Subgraph,
    "/v1/find": Finding,
    "/v1/explain": Explanation,
    "/v1/diff": Diff,
    "/v1/generations": list[Generation],
    "/v1/set": ShownSet,
    "/v1/view": View,
    "/v1/ops": Operations,
    "/v1/what-if": WhatIf,
    "/v1/what-if-each": WhatIfEach,
    "/v1/depends": Dependency,
    "/v1/why": Why,
    "/v1/why-changed": WhyChanged,
    "/v1/evaluate": Evaluation,
    "/v1/zoom": Zoomed,
    "/v1/zoom-path": ZoomedPath,
    "/v1/zoom-diff": ZoomedDiff,
    "/v1/zoom-what-if": ZoomedWhatIf,
    "/v1/modules": Modules,
    "/v1/invocations": Invocations,
}
"""The type of the result of each route."""


def connect(
    address: str, token: str, *, ca_file: str | os.PathLike[str] | None = None
) -> "Connection":
    """Connect to a warm server, to ask questions.

    ``address`` is the ``https`` URL of a server on another machine, or an ``http`` URL on this one,
    which ``provhouse status`` shows. ``token`` was printed by ``provhouse token add``, or is the
    content of ``WAREHOUSE/server/token``. ``ca_file`` has the certificates, in PEM, of the
    authorities to trust instead of the system's. Raises UsageError if one of them is not valid.

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

    def ask(self, asked: Asked[Found]) -> Found:
        """Ask the server, and return its answer."""
        return fetch(self._client, asked)

    def close(self) -> None:
        """Do nothing: each question uses a connection of its own."""


def fetch(client: Client, asked: Asked[Found]) -> Found:
    """Ask a server, and return its answer.

    Raises the error that the question would raise if this process answered it without the server.
    """
    with client.ask(asked.path, asked.body, ARROW, {}) as reply:
        found: Found = read(RESULTS[asked.path], b"".join(reply.pieces))
    return found
