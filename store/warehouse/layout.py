"""The files and folders of a warehouse, and its identity."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from provhouse.model.errors import Damaged

SHARED = 0o666
"""The mode with which record files are created; the umask removes permissions from this mode."""


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
        """The folder of commit records, with one file for each generation."""
        return self.root / "commits"

    @property
    def staging(self) -> Path:
        """The folder for temporary files of an ingest, which are useless after the ingest."""
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
        """A file that exists as long as Neo4j may still contain data of pruned generations.

        Such data does not make any answer wrong.
        """
        return self.root / "unpruned"

    @property
    def results(self) -> Path:
        """The folder for files with the results of workflows."""
        return self.root / "results"

    @property
    def reports(self) -> Path:
        """The folder for the newest reports of commands, which the server's web page shows."""
        return self.root / "reports"

    @property
    def captured(self) -> Path:
        """The folder for the associations that jobs capture, until they are ingested."""
        return self.root / "captured"

    @property
    def copies(self) -> Path:
        """The folder for local copies of files that captured jobs read or wrote elsewhere."""
        return self.root / "copies"

    @property
    def logs(self) -> Path:
        """The folder for logs of writers, Spark and unexpected errors."""
        return self.root / "logs"

    @property
    def registered_tables(self) -> Path:
        """The folder of the registered tables, which belong to no base."""
        return self.root / "tables"

    def registered(self, name: str) -> Path:
        """Return the folder of one registered table."""
        return self.registered_tables / name

    def base(self, number: int) -> Path:
        """Return the folder of one base."""
        return self.root / f"base-{number}"

    def table(self, base: int, name: str) -> Path:
        """Return the folder of one Delta table."""
        return self.base(base) / name

    def names(self, base: int) -> Path:
        """The folder of one base's names and look-ups."""
        return self.base(base) / "names"

    def warehouse_id(self) -> str:
        """Return the id that all nodes of this warehouse have in Neo4j.

        Raises Damaged if the file with the id is missing or not valid. The file is not rebuilt,
        because with a new id everything in Neo4j would appear to be missing.
        """
        try:
            return _text(json.loads(self.identity.read_text(encoding="utf-8"))["warehouse"])
        except FileNotFoundError:
            found = "The file is missing"
        except (OSError, ValueError, TypeError, KeyError) as error:
            found = f"The file is not valid: {error!r}"
        raise Damaged(
            f"Cannot read the warehouse's id from {self.identity}",
            found,
            "Run `provhouse check --repair`, which finds the id in Neo4j, or restore the file from "
            "a backup",
        )


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"{value!r} is not an id")
    return value


def bytes_below(folder: Path) -> int:
    """Return the total size in bytes of the files below a folder.

    Files that disappear meanwhile are not counted.
    """
    total = 0
    for root, _, files in os.walk(folder):
        for file in files:
            try:
                total += os.lstat(os.path.join(root, file)).st_size
            except OSError:
                continue
    return total
