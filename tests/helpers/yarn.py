"""A real YARN on this machine: a resource manager and two node managers in a JVM, above HDFS.

As on most clusters, HDFS is the default file system. Containers are processes of their own, and
YARN kills a container that takes more memory than it has asked for.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import psutil
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway
from py4j.protocol import Py4JJavaError

from benchmarks.cluster.spark_cluster import kill
from helpers.hdfs import hdfs
from provhouse.capturing.jar import spark_jars
from provhouse.model.progress import Silent
from provhouse.runtime.jars import fetch, jar_folder
from provhouse.runtime.java import java

NODES = 2
PROPERTIES = {
    "spark.executor.instances": str(NODES),
    "spark.executor.cores": "1",
    "spark.executor.memory": "512m",
    "spark.executor.memoryOverhead": "1g",
    "spark.yarn.jars": f"local:{spark_jars()}/*",
}
"""Spark's defaults for a cluster on this machine."""
QUEUE = "yarn.scheduler.capacity"
SETTINGS = {
    "yarn.minicluster.control-resource-monitoring": "true",  # limits of memory hold
    "yarn.minicluster.yarn.nodemanager.resource.memory-mb": "4096",
    "yarn.nodemanager.vmem-check-enabled": "false",  # mapped files are not memory
    "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "100",
    "yarn.scheduler.minimum-allocation-mb": "128",
    f"{QUEUE}.root.queues": "default",
    f"{QUEUE}.root.default.capacity": "100",
    f"{QUEUE}.maximum-am-resource-percent": "0.2",
}
ADDRESSES = ("yarn.resourcemanager.address", "yarn.resourcemanager.scheduler.address")
SECONDS = 120


class Yarn:
    """A running YARN."""

    def __init__(self, folder: Path, running: Any) -> None:
        self.conf = folder / "conf"
        """The folder for ``HADOOP_CONF_DIR``."""
        self._running = running

    def applications(self) -> dict[str, str]:
        """Return the final state of each application, by its identifier."""
        found = self._running.getResourceManager().getRMContext().getRMApps().values()
        return {str(app.getApplicationId()): str(app.getFinalApplicationStatus()) for app in found}


@contextmanager
def yarn(folder: Path) -> Iterator[Yarn]:
    """Run YARN and HDFS below a folder, until the block ends."""
    folder.mkdir()
    fetch(Silent(), ("yarn",))
    jars = (jar_folder("hdfs"), jar_folder("yarn"), spark_jars())
    with hdfs(folder / "hdfs") as address, (folder / "log").open("w") as log:
        port, process = launch_gateway(
            jarpath=str(next(spark_jars().glob("py4j-*.jar"))),
            classpath=f"{_pages(folder)}:{':'.join(f'{each}/*' for each in jars)}",
            javaopts=["-XX:TieredStopAtLevel=1", "-Xmx512m"],
            java_path=str(java()),
            cwd=str(folder),
            die_on_exit=True,
            redirect_stdout=log,
            redirect_stderr=log,
            return_proc=True,
        )
        parameters = GatewayParameters(port=port, enable_memory_management=False)
        gateway = JavaGateway(gateway_parameters=parameters)
        with process:
            try:
                yield _started(folder, address, gateway.jvm)
            finally:
                gateway.close()
                kill(psutil.Process(process.pid))  # with its containers


def _started(folder: Path, address: str, packages: Any) -> Yarn:
    hadoop = packages.org.apache.hadoop
    settings = hadoop.yarn.conf.YarnConfiguration()
    for name, value in {**SETTINGS, "fs.defaultFS": address}.items():
        settings.set(name, value)
    running = hadoop.yarn.server.MiniYARNCluster("yarn", NODES, 1, 1)
    try:
        running.init(settings)
        running.start()
    except Py4JJavaError as error:
        raise AssertionError(str(error)) from error  # while the JVM can still tell its text
    assert running.waitForNodeManagersToConnect(SECONDS * 1000), (folder / "log").read_text()
    conf = folder / "conf"
    conf.mkdir()
    _write(conf / "core-site.xml", {"fs.defaultFS": address})
    _write(conf / "yarn-site.xml", {name: running.getConfig().get(name) for name in ADDRESSES})
    return Yarn(folder, running)


def _pages(folder: Path) -> Path:
    """Make the folders of YARN's web pages, which its jar lacks."""
    for name in ("cluster", "node", "yarn"):
        (folder / "pages" / "webapps" / name).mkdir(parents=True)
    return folder / "pages"


def _write(path: Path, properties: dict[str, str]) -> None:
    rows = "".join(
        f"<property><name>{name}</name><value>{escape(value)}</value></property>"
        for name, value in properties.items()
    )
    path.write_text(f"<configuration>{rows}</configuration>")
