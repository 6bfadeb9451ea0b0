"""What is remembered of a managed server between commands: ``HOME/server.json``."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from provhouse.runtime.files import write_over

from .config import HOST, USER, password_file, read_password


@dataclass(frozen=True)
class Address:
    """A server that is up; ``bolt`` and ``http`` are URLs on loopback."""

    bolt: str
    http: str
    user: str
    password: str = field(repr=False)
    password_file: Path


@dataclass(frozen=True)
class ServerRecord:
    """Ports stay the same from start to start; ``pid`` may be that of a server long gone."""

    bolt: int
    http: int
    pid: int | None = None
    keep: bool = False

    @staticmethod
    def read(home: Path) -> "ServerRecord | None":
        """What was saved last; None before the first start, or where the file is damaged."""
        try:
            text = (home / "server.json").read_text(encoding="utf-8")
            return ServerRecord(**json.loads(text))
        except (FileNotFoundError, NotADirectoryError, ValueError, TypeError):
            return None

    def save(self, home: Path) -> None:
        """Replace the file as a whole, so that a reader never sees half of it."""
        write_over(home / "server.json", (json.dumps(asdict(self)) + "\n").encode())

    def address(self, home: Path) -> Address:
        """Where the server listens; raises Unavailable if its password cannot be read."""
        return Address(
            bolt=f"bolt://{HOST}:{self.bolt}",
            http=f"http://{HOST}:{self.http}",
            user=USER,
            password=read_password(home),
            password_file=password_file(home),
        )
