"""The server's process: `python -m provhouse.serve`, with its settings in the environment.

It ends in order at SIGTERM: what is being answered is answered, then Spark and Neo4j are let go.
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
"""Who asks from then on waits; each of them is taken in before any is looked at."""


def main() -> int:
    """Serve until told to stop; 0, or 6 if the warehouse has a server."""
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
    # asyncio lets only what names TCP send at once; else the body of an answer waits 40 ms for the
    # client to acknowledge the head, on every connection that is used again.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((HOST, port))
    listening.listen(BACKLOG)
    return listening


if __name__ == "__main__":
    sys.exit(main())
