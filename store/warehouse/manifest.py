"""The manifest of an export, which lists the content and the checksums of its files.

``manifest.json`` is written last, so a folder without it is not a complete export.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from provhouse.model.errors import BadInput, Unavailable
from provhouse.model.naming import Naming
from provhouse.model.operations import Weakest
from provhouse.model.patterns import Pattern
from provhouse.model.samples import Sample
from provhouse.runtime.files import write_over

from .layout import SHARED

FORMAT = 1
NAME = "manifest.json"
Holds = Literal["warehouse", "lineage", "impact"]
_REMEDY = "Export again, or copy the folder again from its source"
_OMITTED = ("patterns", "operations", "modules", "exactness", "exactness_triples", "samples")
"""The keys that are left out of a manifest if they have no value."""


@dataclass(frozen=True)
class ExportPart:
    """One exported file: its name within the folder, number of rows, size and checksum."""

    name: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """The content of an export."""

    holds: Holds
    item: str | None
    """The item whose lineage or impact was exported; None for an export of the entire warehouse."""
    generation: int
    time: str
    """The time when the generation was committed."""
    triples: int
    items: int
    """The number of distinct names in the triples."""
    files: tuple[ExportPart, ...]
    erased: int = 0
    """The number of triples that were left out because they touch erased items."""
    naming: Naming = "global"
    """The naming scheme of the exported items."""
    format: int = FORMAT
    patterns: dict[str, Pattern] = field(default_factory=dict)
    """The patterns of tables whose row ids are names, by table; left out if there are none."""
    operations: ExportPart | None = None
    """The file with descriptions of ops; left out if there are none."""
    modules: ExportPart | None = None
    """The file that declares modules; left out if there are none."""
    exactness: Weakest | None = None
    """The weakest exactness on the paths of an exported answer; left out if None."""
    exactness_triples: dict[str, int] = field(default_factory=dict)
    """The number of triples on the paths of an exported answer, by exactness; left out if empty."""
    samples: tuple[Sample, ...] = ()
    """The captured writes whose lineage covers only a sample; left out if there are none."""


def part_of(path: Path, rows: int) -> ExportPart:
    """Return the description of a written file as soon as the file is on disk."""
    with path.open("rb") as file:
        os.fsync(file.fileno())
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return ExportPart(path.name, rows, path.stat().st_size, sha256)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest. The file appears complete or not at all."""
    content = json.dumps(as_record(manifest), indent=1).encode()
    if not write_over(folder / NAME, content, mode=SHARED):
        raise Unavailable(
            f"Cannot write the manifest to {folder}",
            "Another process removed the temporary file",
            "Export again, to another folder",
        )


def as_record(manifest: Manifest) -> dict[str, object]:
    """Return the manifest as the record in ``manifest.json``.

    Earlier releases refuse unknown keys, so newer keys are left out if they have no value.
    """
    record = asdict(manifest)
    return {name: value for name, value in record.items() if value or name not in _OMITTED}


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of an export; raise BadInput if it is missing or not valid."""
    path = folder / NAME
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] != FORMAT:
            raise BadInput(
                f"Cannot read the export manifest {path}",
                f"It has format {record['format']}; this release reads format {FORMAT}",
                "Install a newer provhouse to import it",
            )
        record["files"] = tuple(ExportPart(**part) for part in record["files"])
        patterns = {table: Pattern(**each) for table, each in record.pop("patterns", {}).items()}
        samples = tuple(Sample(**each) for each in record.pop("samples", ()))
        for name in ("operations", "modules"):
            if record.get(name):
                record[name] = ExportPart(**record[name])
        return Manifest(**record, patterns=patterns, samples=samples)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadInput(
            f"Cannot read the export manifest {path}",
            f"Reading it fails with {error!r}",
            "Name a folder written by `provhouse export`; an interrupted export has no manifest",
        ) from error


def verified(folder: Path, parts: Sequence[ExportPart]) -> list[Path]:
    """Check the files of an export and return their paths; raise BadInput if a file differs."""
    return [_verified(folder, part) for part in parts]


def _verified(folder: Path, part: ExportPart) -> Path:
    path = folder / part.name
    wanted = f"{path} differs from the exported file of {part.bytes:,} bytes"
    if Path(part.name).name != part.name:
        raise BadInput(f"{folder / NAME} names a file outside its folder", f"It is {part.name!r}")
    try:
        found = part_of(path, part.rows)
    except OSError as error:
        raise BadInput(wanted, f"It cannot be read: {error.strerror}", _REMEDY) from error
    if found.bytes != part.bytes:
        raise BadInput(wanted, f"It has {found.bytes:,} bytes", _REMEDY)
    if found.sha256 != part.sha256:
        raise BadInput(wanted, "Its SHA-256 differs", _REMEDY)
    return path
