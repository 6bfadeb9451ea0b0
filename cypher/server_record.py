"""Read and write ``HOME/server.json``, the record of a managed server that commands share."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from provhouse.runtime.files import write_over

from .address import Address
from .config import HOST, USER, password_file, read_password


@dataclass(frozen=True)
class ServerRecord:
    """The permanent ports of a server, and the process of its last start.

    ``pid`` may belong to a server that has ended. ``keep`` is true from ``provhouse up`` to
    ``provhouse down``.
    """

    bolt: int
    http: int
    pid: int | None = None
    keep: bool = False

    @staticmethod
    def read(home: Path) -> "ServerRecord | None":
        """Return the saved record, or None before the first start or if the file is damaged."""
        try:
            text = (home / "server.json").read_text(encoding="utf-8")
            return ServerRecord(**json.loads(text))
        except (FileNotFoundError, NotADirectoryError, ValueError, TypeError):
            return None

    def save(self, home: Path) -> None:
        """Replace the file in one step, so that readers never see half a record."""
        write_over(home / "server.json", (json.dumps(asdict(self)) + "\n").encode())

    def address(self, home: Path) -> Address:
        """Return the server's address; raise Unavailable if its password cannot be read."""
        return Address(
            bolt=f"bolt://{HOST}:{self.bolt}",
            http=f"http://{HOST}:{self.http}",
            user=USER,
            password=read_password(home),
            password_file=password_file(home),
        )
