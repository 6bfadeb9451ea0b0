"""The jar of our Java classes, which Spark loads; set-up or the build of a wheel makes it."""

import hashlib
from pathlib import Path

from provhouse.model.errors import Unavailable

FOLDER = Path(__file__).parent
SOURCES = FOLDER / "java"
EXTENSION = "provhouse.capturing.Extension"
"""The extension of Spark sessions that captures an application if its configuration says so."""
WORKER = "worker_function.py"
"""The file whose source the rules send to Python workers; the jar contains it."""


def jar() -> Path:
    """Return the path of the jar; raise Unavailable if no jar was compiled from these sources."""
    path = jar_of(FOLDER)
    if not path.exists():
        raise Unavailable(
            "The Java classes of provhouse.capture are not compiled",
            f"{path} is missing",
            "Run `make setup` in the repository, or install a wheel that was built there",
        )
    return path


def jar_of(folder: Path) -> Path:
    """Return the path for the jar of the sources below a folder.

    The file name contains a digest of the sources. So provhouse never uses a jar of other sources,
    and a Spark session keeps the classes of the jar that it has loaded.
    """
    digest = hashlib.sha256()
    for source in (*sources(folder), folder / WORKER):
        digest.update(source.read_bytes())
    return folder / f"capturing-{digest.hexdigest()[:12]}.jar"


def sources(folder: Path) -> list[Path]:
    """Return the Java sources below a folder, in order."""
    return sorted((folder / "java").rglob("*.java"))
