"""What a server leaves for those who look for it: `WAREHOUSE/server/`.

A server holds a lock on `server.json` for as long as it lives, so that nobody speaks to another
program that has taken its port. Nothing here imports more than the standard library, since every
command looks.
"""

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

from provhouse.runtime.files import lock, open_lock, write_new

HOST = "127.0.0.1"
BODY_BYTES = 16 << 20
"""The largest request."""


@dataclass(frozen=True)
class ServerInfo:
    """Where a server listens."""

    pid: int
    port: int

    @property
    def address(self) -> str:
        """For people and browsers."""
        return f"http://{HOST}:{self.port}"


def folder(warehouse: Path) -> Path:
    """Where a server keeps what is its own."""
    return warehouse / "server"


def log_file(warehouse: Path) -> Path:
    """What the server says while it lives."""
    return warehouse / "logs" / "server.log"


def running(warehouse: Path) -> ServerInfo | None:
    """The server of this warehouse, if one lives and listens."""
    try:
        handle = os.open(_file(warehouse), os.O_RDONLY)
    except OSError:
        return None
    try:
        return None if lock(handle, shared=True) else _read(handle)
    finally:
        os.close(handle)


def claim(warehouse: Path) -> int | None:
    """Be the server of this warehouse for the life of the process; None if there is one.

    What comes back is for ``save``.
    """
    folder(warehouse).mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = open_lock(_file(warehouse))
    if not lock(handle):
        os.close(handle)
        return None
    os.ftruncate(handle, 0)  # what another left, who is gone
    return handle


def publish(handle: int, server: ServerInfo) -> None:
    """Leave word of a server that listens."""
    os.pwrite(handle, json.dumps(asdict(server)).encode(), 0)


def _file(warehouse: Path) -> Path:
    return folder(warehouse) / "server.json"


def _read(handle: int) -> ServerInfo | None:
    try:
        return ServerInfo(**json.loads(os.pread(handle, 1000, 0)))
    except (ValueError, TypeError):
        return None  # it has only just begun


def token(warehouse: Path) -> str:
    """What a client must show; made when first asked for, and readable by its owner only."""
    file = folder(warehouse) / "token"
    try:
        return file.read_text(encoding="ascii")
    except FileNotFoundError:
        write_new(file, secrets.token_urlsafe(32).encode(), mode=0o600)
        return file.read_text(encoding="ascii")
