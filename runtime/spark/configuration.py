"""The configuration of Spark sessions that provhouse starts, on this machine or on a cluster."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from provhouse.model.settings import Settings

from ..class_archives import options as archive
from ..jars import jar_folder
from ..java import java
from .shipping import CODE, write_code

if TYPE_CHECKING:
    from pyspark import SparkConf

_CONFIG = {
    "spark.ui.enabled": "false",  # the web interface is not used, and takes a port
    "spark.ui.showConsoleProgress": "false",  # the command shows its own progress
    "spark.databricks.delta.snapshotPartitions": "1",  # the default, 50, slows small reads
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
    "spark.driver.maxResultSize": "0",  # the walk bounds the size of an answer
    "spark.rdd.compress": "false",
    "spark.speculation": "false",  # second attempts would take cores from other tasks
    "spark.log.level": "ERROR",
}
DAEMON = "provhouse.runtime.spark.daemon"
CLUSTER_DAEMON = "provhouse.runtime.spark.cluster_daemon"
DAEMONS = (DAEMON, CLUSTER_DAEMON)
LONGEST_SOCKET_FOLDER = 60
"""The maximum length, in characters, of the path of the folder for sockets.

The path of a socket can have 107 bytes, of which Spark's file name takes 42.
"""
_QUICK = "-XX:TieredStopAtLevel=1"
"""A Java option that limits compilation. Tasks run in Python, so more compilation does not pay."""


def on_cluster(master: str) -> bool:
    """Return whether a master starts executors in other processes, perhaps on other machines."""
    return not master.startswith("local")


def set_environment(master: str) -> None:
    """Make Spark run on the Java that provhouse has chosen, and its workers on this Python.

    Otherwise Spark would use the first versions on PATH. On a cluster, PYSPARK_PYTHON can be the
    path of another Python.
    """
    os.environ["JAVA_HOME"] = str(java().parent.parent)
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    if on_cluster(master):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    else:
        os.environ["PYSPARK_PYTHON"] = sys.executable
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


def configured(settings: Settings, temporary: Path) -> "SparkConf":
    """Return Spark's configuration, with all temporary files of this machine in one folder."""
    from pyspark import SparkConf

    conf = SparkConf().setAll(list(_CONFIG.items())).setMaster(settings.master)
    conf.setAppName("provhouse")
    jars = sorted(jar_folder("delta").glob("*.jar"))
    conf.set("spark.jars", ",".join(str(jar) for jar in jars))
    conf.set("spark.driver.memory", settings.spark_memory)
    conf.set("spark.sql.warehouse.dir", f"{temporary}/tables")
    java_options = [f"-Djava.io.tmpdir={temporary}", _QUICK, *archive("spark")]
    conf.set("spark.driver.extraJavaOptions", " ".join(f'"{option}"' for option in java_options))
    (_set_cluster if on_cluster(settings.master) else _set_local)(conf, temporary)
    return conf


def _set_local(conf: "SparkConf", temporary: Path) -> None:
    if len(str(temporary)) <= LONGEST_SOCKET_FOLDER:  # a small job then takes 27 ms, not 65
        conf.set("spark.python.unix.domain.socket.enabled", "true")
    conf.set("spark.python.daemon.module", DAEMON)
    conf.set("spark.driver.host", "127.0.0.1").set("spark.local.dir", str(temporary))


def _set_cluster(conf: "SparkConf", temporary: Path) -> None:
    """Send provhouse's code to the executors, and let Spark choose addresses and folders.

    Spark unpacks the archive in the working folder of each executor, where Python workers start.
    """
    conf.set("spark.submit.deployMode", "client")  # the driver is this process
    conf.set("spark.python.daemon.module", CLUSTER_DAEMON)
    conf.set("spark.archives", f"{write_code(temporary)}#{CODE}")
    conf.set("spark.executorEnv.PYTHONPATH", CODE)
    conf.set("spark.executor.extraJavaOptions", _QUICK)
