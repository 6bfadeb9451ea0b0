"""The jars of our Java classes, which setup or the build of a wheel makes and Spark loads."""

import hashlib
from importlib.util import find_spec
from pathlib import Path

from provhouse.model.errors import Unavailable

from .spark_versions import VERSIONS, SparkVersion, installed, supported

FOLDER = Path(__file__).parent
EXTENSION = "provhouse.capturing.Extension"
"""The extension of Spark sessions that captures an application if this is configured."""
REGISTRATION = "provhouse.capturing.Registration"
"""The listener that adds the extension to a session of PySpark 3.5, which does not find it."""
WORKER = "worker_function.py"
"""The file whose source the rules of capture send to Python workers; each jar contains it."""


def jar(version: SparkVersion | None = None) -> Path:
    """Return the path of the jar for a Spark, by default for the PySpark of this Python.

    Raises Unavailable if no jar was compiled from these sources.
    """
    version = version or own_version()
    path = jar_of(FOLDER, version)
    if not path.exists():
        raise Unavailable(
            f"The Java classes of provhouse.capture are not compiled for Spark {version.spark} "
            f"with Scala {version.scala}",
            f"{path} is missing",
            "Run `make jars-all` in the repository, or install a wheel that was built after it",
        )
    return path


def jar_of(folder: Path, version: SparkVersion) -> Path:
    """Return the path for the jar of the sources below a folder.

    The file name contains a digest of the sources. So provhouse never uses a jar of other sources,
    and a Spark session that has loaded a jar keeps its classes when the sources change.
    """
    digest = hashlib.sha256()
    for source in (*sources(folder, version), folder / WORKER):
        digest.update(source.read_bytes())
    return folder / f"provhouse-capture_{version}-{digest.hexdigest()[:12]}.jar"


def sources(folder: Path, version: SparkVersion) -> list[Path]:
    """Return the Java sources of a version below a folder, in order."""
    java = folder / "java"
    found = {file.relative_to(java): file for file in (java / "provhouse").rglob("*.java")}
    for layer in version.layers:
        root = java / "versions" / layer
        found |= {file.relative_to(root): file for file in root.rglob("*.java")}
    return [found[name] for name in sorted(found)]


def remove_others(folder: Path) -> None:
    """Remove the jars below a folder that are not compiled from its sources."""
    current = {jar_of(folder, version) for version in VERSIONS}
    for other in folder.glob("*.jar"):
        if other not in current:
            other.unlink()


def own_version() -> SparkVersion:
    """Return the version of the PySpark of this Python.

    Raises Unavailable if PySpark is missing, or if capture does not support its version.
    """
    version = installed(spark_jars())
    if version is None:
        raise Unavailable(
            "The Spark of this Python cannot be captured",
            f"{spark_jars()} has another version; supported are: {supported()}",
            "Install another pyspark",
        )
    return version


def spark_jars() -> Path:
    """Return the folder with this Python's jars of PySpark; raise Unavailable without PySpark."""
    spec = find_spec("pyspark")
    if spec is None or not spec.submodule_search_locations:
        raise Unavailable(
            "There is no Spark whose lineage could be captured",
            "pyspark is not installed in this environment",
            "Install provhouse[spark]; to build from source, install locks/dev.lock, and build "
            "with --no-build-isolation",
        )
    return Path(spec.submodule_search_locations[0]) / "jars"
