"""Compile our Java classes: ``python -m provhouse.capturing.compiling``.

Set-up and the build of a wheel run this module. The compiler is Eclipse's, a single jar of 3 MB.
It runs on the Java runtime that Spark needs anyway, so no JDK has to be installed.
"""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from provhouse.model.errors import ProvhouseError, Unavailable
from provhouse.model.progress import Progress, Silent
from provhouse.runtime.jars import fetch, jar_folder
from provhouse.runtime.java import java

from .jar import EXTENSION, FOLDER, WORKER, jar_of, sources

RELEASE = "17"
"""The oldest Java that runs Spark 4.2."""
SERVICE = "META-INF/services/org.apache.spark.sql.SparkSessionExtensionsProvider"
"""The file in a jar that names the jar's extensions. Spark reads it in all jars on the class path.
"""


def compile_jar(folder: Path, progress: Progress) -> Path:
    """Return the path of the jar of the sources below a folder; compile it if it is missing.

    The jar is beside the sources. Removes the jars of earlier sources. Raises Unavailable if Java,
    the compiler or Spark's jars are missing, or if the sources do not compile.
    """
    target = jar_of(folder)
    if not target.exists():
        fetch(progress, ("compiler",))
        with TemporaryDirectory(prefix="provhouse-java-") as classes:
            _compile(folder, Path(classes))
            aside = target.with_suffix(".new")
            _pack(Path(classes), folder / WORKER, aside)
            aside.replace(target)
    for other in folder.glob("capturing-*.jar"):
        if other != target:
            other.unlink()
    return target


def _compile(folder: Path, classes: Path) -> None:
    (compiler,) = jar_folder("compiler").glob("*.jar")
    spark = ":".join(sorted(str(path) for path in _spark_jars().glob("*.jar")))
    done = subprocess.run(
        [java(), "-jar", compiler, "--release", RELEASE, "-nowarn", "-g", "-classpath", spark,
         "-d", classes, *sources(folder)],
        capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        raise Unavailable(
            "The Java classes of provhouse.capture do not compile",
            (done.stderr or done.stdout).strip(),
            "Correct the sources in capturing/java",
        )


def _spark_jars() -> Path:
    spec = find_spec("pyspark")
    if spec is None or not spec.submodule_search_locations:
        raise Unavailable(
            "The Java classes of provhouse.capture cannot be compiled",
            "pyspark, whose jars they need, is not installed in this environment",
            "Install locks/dev.lock, and build with --no-build-isolation",
        )
    return Path(spec.submodule_search_locations[0]) / "jars"


def _pack(classes: Path, worker: Path, jar: Path) -> None:
    """Write the classes and a file for workers to a jar whose bytes depend on these files only."""
    with ZipFile(jar, "w", ZIP_DEFLATED) as packed:
        for file in sorted(classes.rglob("*.class")):
            name = file.relative_to(classes).as_posix()
            packed.writestr(ZipInfo(name), file.read_bytes(), ZIP_DEFLATED)
        name = f"provhouse/capturing/{worker.name}"
        packed.writestr(ZipInfo(name), worker.read_bytes(), ZIP_DEFLATED)
        packed.writestr(ZipInfo(SERVICE), f"{EXTENSION}\n".encode(), ZIP_DEFLATED)


def main() -> int:
    """Compile the sources of this installation, or the sources below a given folder."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    try:
        compile_jar(folder, Silent())
    except ProvhouseError as error:
        print(error)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
