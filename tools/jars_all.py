"""The jars of our Java classes for all Spark versions: `make jars-all` compiles missing jars.

Every Spark version other than provhouse's own is installed from its lock,
``locks/spark-VERSION.lock``, into a separate folder. Long tests use these folders, too. A wheel
that is built afterwards contains all jars.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from provhouse.capturing.compiling import compile_jar
from provhouse.capturing.jar import FOLDER as SOURCES
from provhouse.capturing.jar import own_version, spark_jars
from provhouse.capturing.spark_versions import VERSIONS, SparkVersion
from provhouse.model.errors import ProvhouseError
from provhouse.model.progress import Silent
from provhouse.runtime.jars import fetch, jar_folder

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / ".long" / "spark"
OTHER_SCALA = SparkVersion("3.5", "2.13")
"""The version for which no PySpark exists. Its jars that depend on Scala come from Maven."""


def locked_version(spark: str) -> str:
    """Return the full version of a Spark, from its lock file."""
    text = (ROOT / f"locks/spark-{spark}.lock").read_text(encoding="utf-8")
    (version,) = re.findall(r"^pyspark==(\S+)", text, re.MULTILINE)
    return str(version)


def package(version: SparkVersion) -> Path:
    """Return the folder of a version's pyspark package; install the package if it is missing."""
    if version == own_version():
        return spark_jars().parent
    folder = FOLDER / str(version)
    if (folder / f"pyspark-{locked_version(version.spark)}.dist-info" / "RECORD").exists():
        return folder / "pyspark"
    if version == OTHER_SCALA:
        _replace_scala(package(SparkVersion("3.5", "2.12")).parent, folder)
    else:
        uv = [f"{ROOT}/.venv/bin/uv", "pip", "install", "--quiet", "--system-certs", "--python"]
        lock = ["--require-hashes", "-r", f"{ROOT}/locks/spark-{version.spark}.lock"]
        subprocess.run([*uv, sys.executable, "--target", str(folder), *lock], check=True)
    return folder / "pyspark"


def _replace_scala(other: Path, folder: Path) -> None:
    """Copy a Spark for Scala 2.12 to a folder, with the jars for Scala 2.13 in place of its own.

    All other jars are links.
    """
    aside = folder.with_name(f"{folder.name}.new")
    for each in (folder, aside):
        shutil.rmtree(each, ignore_errors=True)
    shutil.copytree(
        other,
        aside,
        copy_function=_copied,
        ignore=lambda _, names: [name for name in names if re.search(r"^scala-|_2\.12-", name)],
    )
    fetch(Silent(), ("spark-3.5_2.13",))
    for jar in jar_folder("spark-3.5_2.13").glob("*.jar"):
        (aside / "pyspark" / "jars" / jar.name).symlink_to(jar)
    aside.rename(folder)


def _copied(file: str, target: str) -> None:
    """Link a jar; copy any other file, since a linked program would find the jars of Scala 2.12."""
    (os.symlink if file.endswith(".jar") else shutil.copy)(file, target)


def main() -> int:
    """Compile the jar of each version, and list the jars."""
    try:
        for version in VERSIONS:
            jars = tuple(sorted((package(version) / "jars").glob("*.jar")))
            print(compile_jar(SOURCES, Silent(), version, jars).name)
    except ProvhouseError as error:
        print(error)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
