"""The manifest of a remote warehouse: its files, each with its object, size and digest.

A manifest never changes, and neither does an object that it names: the key of an object begins with
the fencing token of its writer, and a writer uploads a file once.
"""

import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path

from provhouse.model.errors import Damaged

from .objects import Objects

FILES = "files/"
MANIFESTS = "manifests/"
_OURS = re.compile(rf"(?:{FILES}|{MANIFESTS})(\d{{12}})(?:/.*)?", re.DOTALL)
"""The keys of our objects: a whole bucket as an address may have objects of other programs."""


@dataclass(frozen=True)
class StoredFile:
    """A file: the key of the object with its content, its size and its SHA-256."""

    key: str
    bytes: int
    sha256: str


StoredFiles = Mapping[str, StoredFile]
"""The files of a warehouse by their paths in it."""


def part_of(file: Path, token: int, path: str) -> StoredFile:
    """Return the description of a file that the writer with this token uploads."""
    with file.open("rb") as opened:
        sha256 = hashlib.file_digest(opened, "sha256").hexdigest()
        return StoredFile(f"{FILES}{token:012d}/{path}", opened.tell(), sha256)


def write_manifest(objects: Objects, token: int, parts: StoredFiles) -> str:
    """Write a manifest, and return its key."""
    key = f"{MANIFESTS}{token:012d}"
    record = {"format": 1, "files": {path: astuple(part) for path, part in parts.items()}}
    objects.write(key, gzip.compress(json.dumps(record).encode(), mtime=0))
    return key


def read_manifest(objects: Objects, key: str) -> dict[str, StoredFile] | None:
    """Return the files of a manifest; None if it was deleted, as a newer one was published.

    Raises Damaged if it cannot be read.
    """
    content = objects.read(key)
    if content is None:
        return None
    try:
        record = json.loads(gzip.decompress(content))
        parts = {path: StoredFile(*each) for path, each in record["files"].items()}
        for path in parts:
            if Path(path).is_absolute() or ".." in Path(path).parts:
                raise ValueError(f"it names the path {path!r}")
        return parts
    except (OSError, EOFError, ValueError, TypeError, KeyError) as error:
        raise Damaged(f"Cannot read {key} of {objects.place}", repr(error)) from error


def delete_unlisted(objects: Objects, token: int, manifest: str, parts: StoredFiles) -> None:
    """Delete all objects of this writer and earlier ones that the newest manifest does not name.

    A writer may do so even if another one has taken its lease: later manifests name only objects
    that this manifest names and objects of later writers.
    """
    objects.drop_unfinished(token)
    kept = {manifest, *(part.key for part in parts.values())}
    objects.delete(
        key
        for folder in (FILES, MANIFESTS)
        for key in objects.stored(folder)
        if key not in kept and is_written_by(key, token)
    )


def is_written_by(key: str, token: int) -> bool:
    """Return whether the writer with this token or an earlier one has written an object."""
    found = _OURS.fullmatch(key)
    return found is not None and int(found[1]) <= token


def delete_own(objects: Objects, token: int, parts: Iterable[StoredFile]) -> None:
    """Delete the objects of a writer that could not publish."""
    own = f"{FILES}{token:012d}/"
    objects.delete([part.key for part in parts if part.key.startswith(own)])
    objects.delete([f"{MANIFESTS}{token:012d}"])
