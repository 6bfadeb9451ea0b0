"""The server process: `python -m provhouse.serve`, with its settings in the environment.

On SIGTERM, the server finishes the answers in progress, then releases Spark and Neo4j. Its exit
status is then 143.
"""

import asyncio
import logging
import os
import signal
import socket
import sys
from pathlib import Path
from types import FrameType

import uvicorn
from starlette.concurrency import run_in_threadpool

from provhouse.model.command import COMMAND
from provhouse.model.errors import Busy, ProvhouseError
from provhouse.model.settings import Settings
from provhouse.runtime.imports import hide_unused
from provhouse.runtime.spark.session import end

from .auth import Access
from .connections import ClientConnection
from .http_app import application
from .keeper import Keeper
from .lifetime import Lifetime
from .listening import BACKLOG, TlsListener, listen, server_names, tls_listener
from .log import LogProgress, log
from .people import People
from .server_file import HOST, ServerInfo, claim, log_file, publish, token

GRACE_SECONDS = 10
HANDSHAKE_SECONDS = 10
"""The time limit for a client's TLS handshake."""
TICKS = 10
"""Check the server's lifetime after this number of uvicorn's ticks (ten per second)."""


class _Server(uvicorn.Server):
    """A uvicorn server that also ends when its ``Lifetime`` is over.

    When it ends, it does not wait until Spark has loaded all triples for RQ or CCProv.
    """

    def __init__(
        self, config: uvicorn.Config, keeper: Keeper, lifetime: Lifetime, tls: TlsListener | None
    ) -> None:
        super().__init__(config)
        self._keeper = keeper
        self._lifetime = lifetime
        self._tls = tls

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept plain connections at ``sockets``, and TLS connections at the TLS listener."""
        await super().startup(sockets)
        if self._tls:
            listening = await asyncio.get_running_loop().create_server(
                self._connection,
                sock=self._tls.socket,
                ssl=self._tls.context,
                ssl_handshake_timeout=HANDSHAKE_SECONDS,
                backlog=BACKLOG,
            )
            self.servers.append(listening)

    def _connection(self) -> ClientConnection:
        return ClientConnection(self.config, self.server_state, self.lifespan.state)

    async def on_tick(self, counter: int) -> bool:
        """Return whether the server should end now."""
        state = self.server_state
        if self._tls and counter % TICKS == 0:
            self._tls.renew()
        if counter % TICKS == 0 and (
            why := self._lifetime.over(state.total_requests, len(state.tasks))
        ):
            log.info("%s; the server ends", why)
            return True
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Cancel the loading of all triples for RQ or CCProv, finish the answers, and end Spark."""
        await run_in_threadpool(self._keeper.cancel_fills)
        await super().shutdown(sockets)
        await run_in_threadpool(end)  # threads that wait for Spark would keep this process alive


def main() -> int:
    """Serve until SIGTERM or the end of the server's lifetime.

    Return the exit status, 6 if the warehouse already has a server.
    """
    hide_unused()
    signal.signal(signal.SIGTERM, _exit)  # uvicorn raises the signal again when it has stopped
    COMMAND.set("serve")
    settings = Settings.load({})
    _begin_log(settings.warehouse)
    lock = claim(settings.warehouse)
    if lock is None:
        return Busy.exit_status
    try:
        _serve(settings, lock)
    except ProvhouseError as error:
        log.error("%s", error)
        return error.exit_status
    return 0


def _begin_log(warehouse: Path) -> None:
    log_file(warehouse).parent.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(
        filename=log_file(warehouse),
        level=logging.INFO,
        format="%(asctime)s %(levelname)s %(message)s",
    )
    logging.getLogger("py4j").setLevel(logging.CRITICAL)


def _serve(settings: Settings, lock: int) -> None:
    warehouse = settings.warehouse
    names = server_names(settings)
    tls = tls_listener(settings)
    listening = listen(HOST, settings.server_port)
    port = listening.getsockname()[1]
    if tls:
        log.info("Also at https://%s", settings.server_address)
    people = People(warehouse, token(warehouse))
    access = Access(people, frozenset(f"{name}:{port}" for name in (HOST, "localhost")), names)
    keeper = Keeper(settings, LogProgress())
    app = application(keeper, settings, access)
    publish(lock, ServerInfo(os.getpid(), port))
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS, http=ClientConnection, ws="none", lifespan="on",
        backlog=BACKLOG,
    )  # fmt: skip
    lifetime = Lifetime(warehouse, lock, os.getpid(), settings.idle_minutes)
    _Server(config, keeper, lifetime, tls).run(sockets=[listening])


def _exit(number: int, _: FrameType | None) -> None:
    """Run all exit handlers, then exit with the status of a process that this signal ended."""
    sys.exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
