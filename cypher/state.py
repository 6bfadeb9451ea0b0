"""What is remembered of a managed server between commands: ``HOME/server.json``."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from .address import Address
from .config import HOST, USER, password_file, read_password


@dataclass(frozen=True)
class State:
    """Ports stay the same from start to start; ``pid`` may be that of a server long gone."""

    bolt: int
    http: int
    pid: int | None = None
    keep: bool = False

    @staticmethod
    def read(home: Path) -> "State | None":
        """What was saved last; None before the first start, or where the file is damaged."""
        try:
            return State(**json.loads((home / "server.json").read_text(encoding="utf-8")))
        except (FileNotFoundError, NotADirectoryError, ValueError, TypeError):
            return None

    def save(self, home: Path) -> None:
        """Replace the file as a whole, so that a reader never sees half of it."""
        aside = home / "server.json.new"
        aside.write_text(json.dumps(asdict(self)) + "\n", encoding="utf-8")
        os.replace(aside, home / "server.json")

    def address(self, home: Path) -> Address:
        """Where the server listens; raises Unavailable if its password cannot be read."""
        return Address(
            bolt=f"bolt://{HOST}:{self.bolt}",
            http=f"http://{HOST}:{self.http}",
            user=USER,
            password=read_password(home),
            password_file=password_file(home),
        )
