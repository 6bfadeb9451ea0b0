"""The files and folders of a warehouse, and its identity."""

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from provhouse.runtime.files import make_folder, write_new

SHARED = 0o666
"""The file mode of records before the umask applies, as for ordinary files."""


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
        """The folder for temporary files of an ingest, which are useless once the ingest ends."""
        return self.root / "staging"

    @property
    def ids(self) -> Path:
        """The file with the ids in use."""
        return self.root / "ids.json"

    @property
    def erasure(self) -> Path:
        """The file that describes an erasure in progress."""
        return self.root / "erasure.json"

    @property
    def write_lock(self) -> Path:
        """The lock file of the single writer."""
        return self.root / "write.lock"

    @property
    def unpruned(self) -> Path:
        """A file that exists while Neo4j may still have pruned data, which does no harm."""
        return self.root / "unpruned"

    @property
    def logs(self) -> Path:
        """The folder for logs of writers, Spark and unexpected errors."""
        return self.root / "logs"

    def base(self, number: int) -> Path:
        """The folder of one base."""
        return self.root / f"base-{number}"

    def table(self, base: int, name: str) -> Path:
        """The folder of one Delta table."""
        return self.base(base) / name

    def names(self, base: int) -> Path:
        """The folder of the names and their look-ups in one base."""
        return self.base(base) / "names"

    def warehouse_id(self) -> str:
        """Return the id that all nodes of this warehouse carry in Neo4j; create it if missing."""
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
    """Return the total size of the files below a folder; skip files that disappear meanwhile."""
    total = 0
    for root, _, files in os.walk(folder):
        for file in files:
            try:
                total += os.lstat(os.path.join(root, file)).st_size
            except OSError:
                continue
    return total
