"""The server process: `python -m provhouse.serve`, with its settings in the environment.

On SIGTERM, the server finishes the answers in progress, then releases Spark and Neo4j.
"""

import logging
import os
import socket
import sys

import uvicorn

from provhouse.model.settings import Settings

from .app import application
from .auth import Access
from .connections import Connection
from .keeper import Keeper
from .log import LogProgress
from .server_file import HOST, ServerInfo, claim, log_file, publish, token

GRACE_SECONDS = 10
BACKLOG = 256
"""The number of new connections that the system queues.

The server accepts all queued connections before it reads any request.
"""


def main() -> int:
    """Serve until SIGTERM; return the exit status, 6 if the warehouse already has a server."""
    settings = Settings.load({})
    warehouse = settings.warehouse
    log_file(warehouse).parent.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(
        filename=log_file(warehouse),
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
    )
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    lock = claim(warehouse)
    if lock is None:
        return 6
    listening = _socket(settings.server_port)
    port = listening.getsockname()[1]
    access = Access(token(warehouse), frozenset(f"{name}:{port}" for name in (HOST, "localhost")))
    app = application(Keeper(settings, LogProgress()), settings, access)
    publish(lock, ServerInfo(os.getpid(), port))
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS, http=Connection, ws="none", lifespan="on",
        backlog=BACKLOG,
    )  # fmt: skip
    uvicorn.Server(config).run(sockets=[listening])
    return 0


def _socket(port: int) -> socket.socket:
    # asyncio sets TCP_NODELAY only on sockets created with IPPROTO_TCP. Without TCP_NODELAY, on a
    # reused connection, the body of an answer waits 40 ms until the client has acknowledged the
    # head.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((HOST, port))
    listening.listen(BACKLOG)
    return listening


if __name__ == "__main__":
    sys.exit(main())
