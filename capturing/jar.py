"""The jar with our Java classes, which Spark loads; set-up or the build of a wheel makes it."""

import hashlib
from pathlib import Path

from provhouse.model.errors import Unavailable

FOLDER = Path(__file__).parent
SOURCES = FOLDER / "java"
EXTENSION = "provhouse.capturing.Extension"
"""The extension of Spark sessions that captures an application by its configuration."""
WORKER = "worker_function.py"
"""The file whose source the rules send to Python workers; the jar has it beside the classes."""


def jar() -> Path:
    """Return the path of the jar; raise Unavailable if it was not compiled from these sources."""
    path = jar_of(FOLDER)
    if not path.exists():
        raise Unavailable(
            "The Java classes of provhouse.capture are not compiled",
            f"{path} is missing",
            "Run `make setup` in the repository, or install a wheel that was built there",
        )
    return path


def jar_of(folder: Path) -> Path:
    """Return where the jar of the sources below a folder belongs.

    Its name contains their digest. So a jar of other sources is never used, and a Spark session
    that has loaded it keeps its classes.
    """
    digest = hashlib.sha256()
    for source in (*sources(folder), folder / WORKER):
        digest.update(source.read_bytes())
    return folder / f"capturing-{digest.hexdigest()[:12]}.jar"


def sources(folder: Path) -> list[Path]:
    """Return the Java sources below a folder, in order."""
    return sorted((folder / "java").rglob("*.java"))
