"""What lies beside exported files: what they hold, and how to tell that they are what was written.

``manifest.json`` is written last, so that a folder without it is no export.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from provhouse.model.errors import BadInput, Unavailable
from provhouse.runtime.files import write_over

from .layout import SHARED

FORMAT = 1
NAME = "manifest.json"
Holds = Literal["warehouse", "lineage", "impact"]
_REMEDY = "Export again, or bring the folder over again from where it was made"


@dataclass(frozen=True)
class Part:
    """One file: its name within the folder, and what must come out of it again."""

    name: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What was exported."""

    holds: Holds
    item: str | None
    """Whose lineage or impact it is."""
    generation: int
    time: str
    """When the generation was committed."""
    triples: int
    items: int
    """Distinct names in the triples."""
    files: tuple[Part, ...]
    erased: int = 0
    """Triples that are left out, since they touch items that were erased."""
    format: int = FORMAT


def part_of(path: Path, rows: int) -> Part:
    """A file that was written, and is now on the disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return Part(path.name, rows, path.stat().st_size, sha256)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest, whole or not at all: it appears under its name at last."""
    content = json.dumps(asdict(manifest), indent=1).encode()
    if not write_over(folder / NAME, content, mode=SHARED):
        raise Unavailable(
            f"The manifest of an export should be written to {folder}",
            "Another process removed it meanwhile",
            "Export again, to another folder",
        )


def read_manifest(folder: Path) -> Manifest:
    """The manifest of an export; raises BadInput if there is none that can be read."""
    path = folder / NAME
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] != FORMAT:
            raise BadInput(
                f"{path} should be of format {FORMAT}",
                f"It is of format {record['format']}",
                "Install a newer provhouse to import it",
            )
        record["files"] = tuple(Part(**part) for part in record["files"])
        return Manifest(**record)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise BadInput(
            f"The manifest of an export should be in {path}",
            f"It cannot be read: {error!r}",
            "Name a folder that `provhouse export` made; one that was cut off has none",
        ) from error


def verified(folder: Path, parts: Sequence[Part]) -> list[Path]:
    """The files of an export, each as it was written; raises BadInput, naming one that is not."""
    return [_verified(folder, part) for part in parts]


def _verified(folder: Path, part: Part) -> Path:
    path = folder / part.name
    wanted = f"{path} should be the file that was exported, of {part.bytes:,} bytes"
    if Path(part.name).name != part.name:
        raise BadInput(f"{folder / NAME} should name files beside it", f"It names {part.name!r}")
    try:
        found = part_of(path, part.rows)
    except OSError as error:
        raise BadInput(wanted, f"It cannot be read: {error.strerror}", _REMEDY) from error
    if found.bytes != part.bytes:
        raise BadInput(wanted, f"It has {found.bytes:,}", _REMEDY)
    if found.sha256 != part.sha256:
        raise BadInput(wanted, "Its content has another SHA-256", _REMEDY)
    return path
