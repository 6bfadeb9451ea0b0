"""The folder `WAREHOUSE/server/` with the server's port and token, which clients read.

`server.json` has the process id and the port. A server keeps this file locked while it runs. If the
file is not locked, the server has ended, and a program that listens on the port is not the server.
Every command imports this module, so it imports little besides the standard library.
"""

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

from provhouse.runtime.files import lock, open_lock, write_new, write_over

HOST = "127.0.0.1"
BODY_BYTES = 16 << 20
"""The largest size of a request body, in bytes."""


@dataclass(frozen=True)
class ServerInfo:
    """The process id and the port of a running server."""

    pid: int
    port: int

    @property
    def address(self) -> str:
        """The URL of the server."""
        return f"http://{HOST}:{self.port}"


def folder(warehouse: Path) -> Path:
    """Return the folder for the server's own files."""
    return warehouse / "server"


def log_file(warehouse: Path) -> Path:
    """Return the path of the server's log."""
    return warehouse / "logs" / "server.log"


def running(warehouse: Path) -> ServerInfo | None:
    """Return the server of this warehouse, or None if no server is ready for connections."""
    try:
        handle = os.open(_file(warehouse), os.O_RDONLY)
    except OSError:
        return None
    try:
        return None if lock(handle, shared=True) else _read(handle)
    finally:
        os.close(handle)


def claim(warehouse: Path) -> int | None:
    """Make this process the warehouse's only server until the process ends.

    Return the locked file, which ``publish`` needs, or None if the warehouse already has a server.
    """
    folder(warehouse).mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = open_lock(_file(warehouse))
    if not lock(handle):
        os.close(handle)
        return None
    os.ftruncate(handle, 0)  # left by a server that has ended
    return handle


def claimed(warehouse: Path) -> bool:
    """Return whether a process is the warehouse's server, even if it is not ready yet."""
    try:
        handle = os.open(_file(warehouse), os.O_RDONLY)
    except OSError:
        return False
    try:
        return not lock(handle, shared=True)
    finally:
        os.close(handle)


def is_own(warehouse: Path, handle: int) -> bool:
    """Return whether the file that ``claim`` locked is still this warehouse's `server.json`."""
    try:
        return os.path.samestat(os.stat(_file(warehouse)), os.fstat(handle))
    except FileNotFoundError:
        return False


def keep(warehouse: Path, pid: int) -> None:
    """Record that the server with this process id runs until it is stopped, even if idle."""
    write_over(_kept(warehouse), str(pid).encode())


def is_kept(warehouse: Path, pid: int) -> bool:
    """Return whether ``keep`` was called for the server with this process id."""
    try:
        return _kept(warehouse).read_text(encoding="ascii") == str(pid)
    except FileNotFoundError:
        return False


def publish(handle: int, server: ServerInfo) -> None:
    """Write the process id and the port of the server, so that clients can find it."""
    os.pwrite(handle, json.dumps(asdict(server)).encode(), 0)


def _file(warehouse: Path) -> Path:
    return folder(warehouse) / "server.json"


def _kept(warehouse: Path) -> Path:
    return folder(warehouse) / "kept"


def _read(handle: int) -> ServerInfo | None:
    try:
        return ServerInfo(**json.loads(os.pread(handle, 1000, 0)))
    except (ValueError, TypeError):
        return None  # the server has not published its port yet


def token(warehouse: Path) -> str:
    """Return the token that clients must send.

    On first use, create the token in a file that only its owner can read.
    """
    file = folder(warehouse) / "token"
    try:
        return file.read_text(encoding="ascii")
    except FileNotFoundError:
        write_new(file, secrets.token_urlsafe(32).encode(), mode=0o600)
        return file.read_text(encoding="ascii")
