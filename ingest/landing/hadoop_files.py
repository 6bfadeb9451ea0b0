"""Copy files from HDFS, object stores and other Hadoop file systems with a Java program.

The program is the class ``Fetch`` in our jar. It runs with the jars of PySpark, which contain
Hadoop's client, and for S3, with the jars that provhouse fetches for it. Its settings come from
the usual environment variables: ``HADOOP_CONF_DIR`` for Hadoop's configuration, and
``SPARK_DIST_CLASSPATH`` for the jars of further file systems.
"""

import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from provhouse.capturing.jar import jar, spark_jars
from provhouse.model.errors import Unavailable
from provhouse.model.progress import Silent
from provhouse.runtime.jars import fetch, jar_folder
from provhouse.runtime.java import java

_CLASS = "provhouse.capturing.landing.Fetch"
_THROWN = 'Exception in thread "main" '


def applications(address: str) -> dict[str, bool]:
    """Return the folder of each application at or below an address, and whether it has ended."""
    lines = (line.partition("\t") for line in _fetch(address, "list", address).splitlines())
    return {found: state == "ended" for state, _, found in lines}


def copy_block(address: str, folder: Path) -> None:
    """Copy the complete files of an application to a local folder."""
    _fetch(address, "block", address, str(folder))


def remove_block(address: str) -> None:
    """Remove the folder of an application."""
    _fetch(address, "remove", address)


def copy_files(paths: Mapping[str, Path]) -> None:
    """Copy the files with the given addresses, except files with an equal copy at its path.

    A copy gets the modification time of the original file.
    """
    for path in paths.values():
        path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{address}\t{path}\n" for address, path in paths.items())
    _fetch(next(iter(paths)), "files", given=lines)


def _fetch(address: str, *arguments: str, given: str = "") -> str:
    """Run the program, and return what it prints; raise Unavailable if it fails."""
    places = (
        os.environ.get("HADOOP_CONF_DIR"),
        str(jar()),
        str(spark_jars() / "*"),
        _further_jars([address, *given.splitlines()]),
    )
    done = subprocess.run(
        [java(), "-XX:TieredStopAtLevel=1", "-cp", ":".join(filter(None, places)), _CLASS,
         *arguments],
        input=given, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        lines = done.stderr.splitlines()
        thrown = [line.removeprefix(_THROWN) for line in lines if line.startswith(_THROWN)]
        raise Unavailable(
            f"Cannot copy the captured files of {address}",
            "Hadoop says: " + (*thrown, *lines, "nothing")[0],
            "Check the address. HADOOP_CONF_DIR names the folder of core-site.xml, with the "
            "access to the storage; SPARK_DIST_CLASSPATH names jars such as hadoop-azure",
        )
    return done.stdout


def _further_jars(addresses: Iterable[str]) -> str | None:
    """Return the class path of file systems that PySpark's copy of Hadoop lacks.

    For S3, its locked jars are fetched, unless the user names other jars.
    """
    named = os.environ.get("SPARK_DIST_CLASSPATH")
    if named or not any(each.startswith("s3a:") for each in addresses):
        return named
    fetch(Silent(), ("s3a",))
    return str(jar_folder("s3a") / "*")
