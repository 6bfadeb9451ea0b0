"""Where things lie in a warehouse folder, and the warehouse's identity."""

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from provhouse.runtime.files import make_folder, write_new

SHARED = 0o666
"""The mode of records and locks: what the umask leaves of it, as of any file."""


@dataclass(frozen=True)
class Layout:
    """The folders and files of one warehouse."""

    root: Path

    @property
    def identity(self) -> Path:
        """The file with the warehouse's id."""
        return self.root / "warehouse.json"

    @property
    def commits(self) -> Path:
        """The folder of commit records, one file a generation."""
        return self.root / "commits"

    @property
    def staging(self) -> Path:
        """What an ingest writes before it knows where it belongs; worthless after it."""
        return self.root / "staging"

    @property
    def ids(self) -> Path:
        """The file with the ids that are taken."""
        return self.root / "ids.json"

    @property
    def erasure(self) -> Path:
        """The file that tells of an erasure under way."""
        return self.root / "erasure.json"

    @property
    def write_lock(self) -> Path:
        """Locked by the one writer."""
        return self.root / "write.lock"

    @property
    def unpruned(self) -> Path:
        """There while Neo4j may still hold what is no longer kept, which does no harm."""
        return self.root / "unpruned"

    @property
    def logs(self) -> Path:
        """What Spark and unexpected errors have to say."""
        return self.root / "logs"

    def base(self, number: int) -> Path:
        """The folder of one base."""
        return self.root / f"base-{number}"

    def table(self, base: int, name: str) -> Path:
        """The folder of one Delta table."""
        return self.base(base) / name

    def names(self, base: int) -> Path:
        """The folder of the names and their look-ups."""
        return self.base(base) / "names"

    def warehouse_id(self) -> str:
        """The id that every node of this warehouse carries in Neo4j; made when first asked for."""
        try:
            return self._identity()
        except FileNotFoundError:
            make_folder(self.root)
            content = json.dumps({"format": 1, "warehouse": secrets.token_hex(8)}, indent=1)
            write_new(self.identity, content.encode(), mode=SHARED)
            return self._identity()

    def _identity(self) -> str:
        return str(json.loads(self.identity.read_text())["warehouse"])


def bytes_below(folder: Path) -> int:
    """All bytes of the files in a folder; what vanishes meanwhile counts nothing."""
    total = 0
    for root, _, files in os.walk(folder):
        for file in files:
            try:
                total += os.lstat(os.path.join(root, file)).st_size
            except OSError:
                continue
    return total
