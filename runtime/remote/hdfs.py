"""Objects as files on HDFS, through Hadoop's client in a Java process of its own.

A file is created under a temporary name, then renamed. HDFS renames a file only if its new name is
free, and in one step. Access is configured as for any client of Hadoop: ``HADOOP_CONF_DIR`` names
the folder of ``core-site.xml`` and ``hdfs-site.xml``.
"""

import os
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from provhouse.model.errors import Unavailable
from provhouse.model.extras import missing
from provhouse.runtime.java import java
from provhouse.runtime.packages import package

from .objects import StoredObject, Unclear

_TEMPORARY = "tmp"
"""The folder of files that are not complete."""
_OLD_SECONDS = 24 * 3600
_ABSENT = "java.io.FileNotFoundException"


class HdfsObjects:
    """The files below a folder of HDFS. The Java process ends with this one."""

    def __init__(self, address: str) -> None:
        self._address = address.rstrip("/")
        self._java, self._process = _started(self._address)
        with self._translated():
            self._files = self._path("").getFileSystem(self._configuration())

    @property
    def place(self) -> str:
        """The address."""
        return self._address

    def create(self, key: str, content: bytes) -> bool:
        """Write a file unless one with this name exists; return whether it was written."""
        aside = self._written_aside(content)
        to = self._path(key)
        with self._translated():
            self._files.mkdirs(to.getParent())
        try:
            with self._translated():
                created = bool(self._files.rename(aside, to))
        except Unavailable as error:
            raise Unclear(*error.args) from error
        if not created:
            with self._translated():
                self._files.delete(aside, False)
        return created

    def write(self, key: str, content: bytes) -> None:
        """Write or replace a small file, which may be missing for a moment."""
        with TemporaryDirectory() as folder:
            file = Path(folder) / "content"
            file.write_bytes(content)
            self.upload(key, file)

    def upload(self, key: str, file: Path) -> None:
        """Write or replace a file with the content of a local one."""
        with self._translated():
            self._files.copyFromLocalFile(False, True, self._local(file), self._path(key))

    def read(self, key: str) -> bytes | None:
        """Return the content of a small file, or None if it does not exist."""
        with TemporaryDirectory() as folder:
            file = Path(folder) / "content"
            return file.read_bytes() if self.download(key, file) else None

    def download(self, key: str, file: Path) -> bool:
        """Copy a file to a local one; return False if it does not exist."""
        with self._translated(absent=True):
            self._files.copyToLocalFile(False, self._path(key), self._local(file), True)
            return True
        return False

    def listed(self, prefix: str, after: str = "") -> Iterator[StoredObject]:
        """Yield the files whose names begin with ``prefix`` and come after ``after``, in order."""
        folder = self._path(prefix.rpartition("/")[0])
        start = len(self._path("").toUri().getPath().rstrip("/")) + 1
        found = list[StoredObject]()
        with self._translated(absent=True):
            files = self._files.listFiles(folder, True)
            while files.hasNext():
                status = files.next()
                key = status.getPath().toUri().getPath()[start:]
                if key.startswith(prefix) and key > after:
                    found.append(StoredObject(key, status.getModificationTime() / 1000))
        yield from sorted(found, key=lambda each: each.key)

    def delete(self, keys: Iterable[str]) -> None:
        """Delete files, without moving them to the trash."""
        with self._translated():
            for key in keys:
                self._files.delete(self._path(key), False)

    def stored(self, prefix: str) -> Iterator[str]:
        """Yield the names of all files that begin with ``prefix``."""
        return (found.key for found in self.listed(prefix))

    def drop_unfinished(self, token: int) -> None:
        """Delete temporary files of killed processes: those that are older than a day."""
        old = time.time() - _OLD_SECONDS
        self.delete([each.key for each in self.listed(f"{_TEMPORARY}/") if each.changed < old])

    def close(self) -> None:
        """End the Java process."""
        self._java.shutdown()
        self._process.stdin.close()  # Java ends when its input does
        self._process.wait()

    def remains(self) -> str:
        """Return a sentence about snapshots, which keep deleted files; empty if there are none."""
        path = PurePosixPath(self._path("").toUri().getPath())
        for folder in (path, *path.parents):
            with suppress(Unavailable), self._translated(absent=True):
                shots = self._files.listStatus(self._at(folder / ".snapshot"))
                names = [shot.getPath().getName() for shot in shots]
                if names:
                    return f"HDFS keeps it in snapshots of {folder}, such as {names[0]}"
        return ""

    def _written_aside(self, content: bytes) -> Any:
        """Return the path of a complete file with a new name."""
        key = f"{_TEMPORARY}/{secrets.token_hex(16)}"
        self.write(key, content)
        return self._path(key)

    def _path(self, key: str) -> Any:
        return self._at(f"{self._address}/{key}")

    def _at(self, path: object) -> Any:
        return self._java.jvm.org.apache.hadoop.fs.Path(str(path))

    def _local(self, file: Path) -> Any:
        return self._at(f"file://{file.absolute()}")  # Hadoop decodes no %20

    def _configuration(self) -> Any:
        return self._java.jvm.org.apache.hadoop.conf.Configuration()

    @contextmanager
    def _translated(self, *, absent: bool = False) -> Iterator[None]:
        """Turn Java's exceptions into Unavailable; with ``absent``, ignore a missing file."""
        errors = package("py4j.protocol")
        try:
            yield
        except errors.Py4JJavaError as error:
            thrown = error.java_exception
            if absent and thrown.getClass().getName() == _ABSENT:
                return
            raise self._failed(str(thrown.toString())) from error
        except (errors.Py4JError, OSError) as error:
            raise self._failed(f"Hadoop's client has ended: {error}") from error

    def _failed(self, found: str) -> Unavailable:
        return Unavailable(
            f"Cannot use {self.place}",
            next(iter(found.splitlines()), "Hadoop gives no reason"),
            "Check the address. HADOOP_CONF_DIR names the folder of core-site.xml, with the access",
        )


def _started(place: str) -> tuple[Any, Any]:
    """Start Java with PySpark's copy of Hadoop's client; return a gateway and the process.

    Raises Unavailable if Java or the client does not start.
    """
    gateways = package("py4j.java_gateway")
    spark = find_spec("pyspark")
    if spark is None or spark.origin is None:
        raise missing("pyspark")
    jars = Path(spark.origin).parent / "jars"
    given = (os.environ.get("HADOOP_CONF_DIR"), f"{jars}/*", os.environ.get("SPARK_DIST_CLASSPATH"))
    py4j = next(jars.glob("py4j-*.jar"), jars / "py4j.jar")  # if it is missing, py4j says so
    try:
        port, token, process = gateways.launch_gateway(
            jarpath=str(py4j),
            classpath=":".join(filter(None, given)),
            javaopts=["-XX:TieredStopAtLevel=1", "-Xmx512m"],
            die_on_exit=True,
            java_path=str(java()),
            enable_auth=True,
            return_proc=True,
            create_new_process_group=True,  # Ctrl-C ends this process, which gives its lease back
        )
    except (package("py4j.protocol").Py4JError, OSError, ValueError) as error:
        raise Unavailable(
            f"Cannot use {place}",
            f"Hadoop's client does not start: {error}",
            "Check that PySpark is completely installed and that memory is free for Java",
        ) from error
    parameters = gateways.GatewayParameters(port=port, auth_token=token, auto_convert=True)
    return gateways.JavaGateway(gateway_parameters=parameters), process
