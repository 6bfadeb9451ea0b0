"""A real HDFS on this machine: one name node and one data node in a JVM."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

from provhouse.capturing.jar import spark_jars
from provhouse.model.progress import Silent
from provhouse.runtime.jars import fetch, jar_folder
from provhouse.runtime.java import java

_MAIN = "org.apache.hadoop.test.MiniDFSClusterManager"


@contextmanager
def hdfs(folder: Path, patience: float = 300) -> Iterator[str]:
    """Run HDFS below a folder, and yield its address, such as ``hdfs://localhost:40001``."""
    fetch(Silent(), ("hdfs",))
    folder.mkdir()
    written = folder / "cluster.json"
    classes = f"{jar_folder('hdfs')}/*:{spark_jars()}/*"
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [java(), "-XX:TieredStopAtLevel=1", "-Xmx512m", f"-Dtest.build.data={folder}",
             "-cp", classes, _MAIN, "-datanodes", "1", "-format", "-writeDetails", str(written)],
            stdout=subprocess.DEVNULL, stderr=log, cwd=folder,
        )  # fmt: skip
    try:
        late = monotonic() + patience
        while not (written.exists() and (text := written.read_text())):
            assert process.poll() is None, (folder / "log").read_text()
            assert monotonic() < late, "HDFS did not start"
            sleep(0.2)
        yield f"hdfs://localhost:{json.loads(text)['namenode_port']}"
    finally:
        process.kill()
        process.wait()
