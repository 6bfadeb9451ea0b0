"""What a server leaves for those who look for it: `WAREHOUSE/server/`.

A server holds a lock on `server.json` for as long as it lives, so that nobody speaks to another
program that has taken its port. Nothing here imports more than the standard library, since every
command looks.
"""

import fcntl
import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

HOST = "127.0.0.1"
BODY_BYTES = 16 << 20
"""The largest request."""


@dataclass(frozen=True)
class State:
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


def running(warehouse: Path) -> State | None:
    """The server of this warehouse, if one lives and listens."""
    try:
        handle = os.open(_file(warehouse), os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return None  # nobody holds it
    except BlockingIOError:
        return _read(handle)
    finally:
        os.close(handle)


def held(warehouse: Path) -> int | None:
    """Be the server of this warehouse for the life of the process; None if there is one.

    What comes back is for ``save``.
    """
    folder(warehouse).mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(_file(warehouse), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    os.ftruncate(handle, 0)  # what another left, who is gone
    return handle


def save(handle: int, state: State) -> None:
    """Leave word of a server that listens."""
    os.pwrite(handle, json.dumps(asdict(state)).encode(), 0)


def _file(warehouse: Path) -> Path:
    return folder(warehouse) / "server.json"


def _read(handle: int) -> State | None:
    try:
        return State(**json.loads(os.pread(handle, 1000, 0)))
    except (ValueError, TypeError):
        return None  # it has only just begun


def token(warehouse: Path) -> str:
    """What a client must show; made when first asked for, and readable by its owner only."""
    file = folder(warehouse) / "token"
    try:
        return file.read_text(encoding="ascii")
    except FileNotFoundError:
        aside = file.with_name(f"token.{secrets.token_hex(4)}")
        handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as out:
            out.write(secrets.token_urlsafe(32))
        os.replace(aside, file)
        return file.read_text(encoding="ascii")
