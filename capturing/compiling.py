"""Compile our Java classes: ``python -m provhouse.capturing.compiling [FOLDER]``.

Setup and the build of a wheel run this module for the Spark of this Python; tools/jars_all.py runs
it for each other Spark. The compiler is Eclipse's, a single jar of 3 MB. It runs on the Java
runtime that Spark needs anyway, so no JDK has to be installed.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from provhouse.model.errors import ProvhouseError, Unavailable
from provhouse.model.progress import Progress, Silent
from provhouse.runtime.jars import fetch, jar_folder
from provhouse.runtime.java import java

from .jar import EXTENSION, FOLDER, WORKER, jar_of, own_version, remove_others, sources, spark_jars
from .spark_versions import OLDEST_JAVA, SparkVersion

SERVICES = {
    "org.apache.spark.sql.SparkSessionExtensionsProvider": EXTENSION,
    "org.apache.spark.sql.sources.DataSourceRegister": "provhouse.capturing.Guard",
}
"""The classes that Spark finds in jars on the class path, by the names of their interfaces."""
VERSION = "provhouse/capturing/version"
"""The file in a jar that names the versions of Spark and Scala for which it was compiled.

Built.java compares these versions with the running ones.
"""


def compile_jar(
    folder: Path,
    progress: Progress,
    version: SparkVersion | None = None,
    spark: tuple[Path, ...] = (),
) -> Path:
    """Return the path of the jar of the sources below a folder; compile it if it is missing.

    ``spark`` is the folder of Spark's jars, and ``version`` is their version; the default is the
    PySpark of this Python. The jar is next to the sources. Removes the jars of earlier sources.
    Raises Unavailable if Java, the compiler or Spark's jars are missing, or if the sources do not
    compile.
    """
    version = version or own_version()
    target = jar_of(folder, version)
    if not target.exists():
        fetch(progress, ("compiler",))
        with TemporaryDirectory(prefix="provhouse-java-") as classes:
            libraries = spark or tuple(sorted(spark_jars().glob("*.jar")))
            _compile(sources(folder, version), libraries, Path(classes))
            aside = target.with_suffix(".new")
            _pack(Path(classes), folder / WORKER, version, aside)
            aside.replace(target)
    remove_others(folder)
    return target


def _compile(files: list[Path], spark: tuple[Path, ...], classes: Path) -> None:
    (compiler,) = jar_folder("compiler").glob("*.jar")
    done = subprocess.run(
        [java(), "-jar", compiler, *_for_oldest_java(java()), "-nowarn", "-g",
         "-classpath", ":".join(map(str, spark)), "-d", classes, *files],
        capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        raise Unavailable(
            "The Java classes of provhouse.capture do not compile",
            (done.stderr or done.stdout).strip(),
            "Correct the sources in capturing/java",
        )


def _for_oldest_java(program: Path) -> tuple[str, ...]:
    """Return the options that compile for the oldest Java that Spark runs on.

    Only a JDK has the file with the classes of earlier versions, with which the compiler checks
    that no newer class or method is used. A runtime alone compiles the sources without this check.
    """
    if (program.parent.parent / "lib" / "ct.sym").exists():
        return ("--release", str(OLDEST_JAVA))
    return (f"-{OLDEST_JAVA}",)


def _pack(classes: Path, worker: Path, version: SparkVersion, jar: Path) -> None:
    """Write the classes and a file for workers to a jar; the jar's bytes depend only on these."""
    with ZipFile(jar, "w", ZIP_DEFLATED) as packed:
        for file in sorted(classes.rglob("*.class")):
            name = file.relative_to(classes).as_posix()
            packed.writestr(ZipInfo(name), file.read_bytes(), ZIP_DEFLATED)
        name = f"provhouse/capturing/{worker.name}"
        packed.writestr(ZipInfo(name), worker.read_bytes(), ZIP_DEFLATED)
        for interface, implementation in SERVICES.items():
            name = f"META-INF/services/{interface}"
            packed.writestr(ZipInfo(name), f"{implementation}\n".encode(), ZIP_DEFLATED)
        packed.writestr(ZipInfo(VERSION), f"{version}\n".encode(), ZIP_DEFLATED)


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
