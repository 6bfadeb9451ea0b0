"""Serve a page on loopback until the process is interrupted."""

from collections.abc import Callable
from contextlib import suppress

import uvicorn

from provhouse.model.progress import Progress
from provhouse.runtime.jars import fetch

from ..connections import ClientConnection
from ..listening import BACKLOG, check_port, listen
from ..server_file import HOST
from .charts_app import application
from .file_page import FilePage
from .visitor import Visitor


def check_free(port: int) -> None:
    """Raise Unavailable if a port is in use."""
    check_port(HOST, port)


def serve(page: FilePage, port: int, progress: Progress, ready: Callable[[str], None]) -> None:
    """Serve a page, and call ``ready`` with its link once the port is open.

    The first call fetches d3. Port 0 means any free port. Raises Unavailable if d3 cannot be
    fetched or the port is in use.
    """
    fetch(progress, ["page"])
    visitor = Visitor()
    with listen(HOST, port) as listening:
        address = f"{HOST}:{listening.getsockname()[1]}"
        app = application(page, visitor, frozenset({address}))
        config = uvicorn.Config(
            app, log_config=None, access_log=False, server_header=False, http=ClientConnection,
            ws="none", lifespan="off", backlog=BACKLOG, timeout_graceful_shutdown=1,
        )  # fmt: skip
        ready(f"http://{address}/#{visitor.token}")
        with suppress(KeyboardInterrupt):  # uvicorn raises it again when it has stopped
            uvicorn.Server(config).run(sockets=[listening])
