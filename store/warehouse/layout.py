"""Where things lie in a warehouse folder, and the warehouse's identity."""

import json
import os
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from provhouse.runtime.files import make_folder, sync_folder


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
            return str(json.loads(self.identity.read_text())["warehouse"])
        except FileNotFoundError:
            self.create(self.root)
            write_once(self.identity, {"format": 1, "warehouse": secrets.token_hex(8)})
            return str(json.loads(self.identity.read_text())["warehouse"])

    def create(self, folder: Path) -> None:
        """Make a folder of the warehouse, or say why it cannot be made."""
        make_folder(folder)


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


def _nothing() -> None:
    pass


def write_once(path: Path, content: object, last: Callable[[], None] = _nothing) -> bool:
    """Write JSON that appears whole or not at all and never replaces; False if it is there.

    ``last`` is called just before it appears. False also if a writer has put away what was about to
    appear, taking it for that of a dead one.
    """
    aside = _aside(path)
    try:
        write_synced(aside, content)
        last()
        os.link(aside, path)
    except (FileExistsError, FileNotFoundError):
        return False
    finally:
        aside.unlink(missing_ok=True)
    sync_folder(path.parent)
    return True


def replace(path: Path, content: object, last: Callable[[], None] = _nothing) -> bool:
    """Write JSON that replaces what was there, whole or not at all; see ``write_once``."""
    aside = _aside(path)
    try:
        write_synced(aside, content)
        last()
        aside.replace(path)
    except FileNotFoundError:
        return False
    finally:
        aside.unlink(missing_ok=True)
    sync_folder(path.parent)
    return True


_ASIDE = re.compile(r"\.(ids|erasure|warehouse|\d+)\.json\.[0-9a-f]{8}")
"""Names of ours, beside which a folder may hold what others left there."""


def _aside(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}")


def asides(folder: Path) -> list[Path]:
    """What was about to become a JSON file of this folder, and may have been left."""
    return [file for file in folder.glob(".*.json.*") if _ASIDE.fullmatch(file.name)]


def write_synced(path: Path, content: object) -> None:
    """Write JSON and wait until the disk has it."""
    with path.open("x", encoding="utf-8") as file:
        json.dump(content, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
