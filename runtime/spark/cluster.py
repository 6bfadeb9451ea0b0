"""Check whether Spark can find a cluster, and whether its executors can use a warehouse."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from provhouse.model.errors import TooSlow, Unavailable
from provhouse.model.progress import Stopwatch
from provhouse.model.settings import Settings

from .time_limits import limited

if TYPE_CHECKING:
    from pyspark import SparkContext

START_SECONDS = 180
"""The maximum time in seconds for executors to run the first tasks."""
IDENTITY = "warehouse.json"
"""The name of the file whose content is different in every warehouse."""
YARN_FOLDERS = ("HADOOP_CONF_DIR", "YARN_CONF_DIR")
"""The environment variables in which Spark looks for the configuration of YARN."""
YARN_FILES = ("yarn-site.xml", "core-site.xml")


def check_master(master: str) -> None:
    """Raise Unavailable if the master is YARN, and no variable names its configuration.

    Without a configuration, Spark would try for a quarter of an hour to reach this machine.
    """
    if master != "yarn":
        return
    folders = {name: os.environ[name] for name in YARN_FOLDERS if os.environ.get(name)}
    if not any(Path(folder, file).is_file() for folder in folders.values() for file in YARN_FILES):
        named = ", ".join(f"{name}={folder}" for name, folder in folders.items())
        raise Unavailable(
            "The master yarn needs the configuration of YARN",
            f"{named} has no {YARN_FILES[0]}" if named else f"{YARN_FOLDERS[0]} is not set",
            f"Copy {YARN_FILES[0]} and {YARN_FILES[1]} from a machine of the cluster to a folder, "
            f"and set {YARN_FOLDERS[0]} to that folder",
        )


def check_cluster(context: "SparkContext", settings: Settings) -> None:
    """Raise Unavailable, with a remedy, if executors cannot use the warehouse.

    The executors must start in time, have a Python with the packages that tasks use, and have
    access to the folder of the warehouse. The check runs one task for each core, and Spark divides
    the tasks among the executors that have started.
    """
    file = settings.warehouse / IDENTITY
    wanted = _content(file)
    count = max(context.defaultParallelism, 2)
    try:
        with limited(context, Stopwatch(START_SECONDS)):
            looks = context.parallelize([file] * count, count).map(_look).collect()
    except TooSlow as error:
        raise Unavailable(
            f"No executor of {settings.master} has run a task within {START_SECONDS} seconds",
            "Other applications may use all cores, the executors may ask for more memory than a "
            "worker has, or they cannot connect to this machine",
            "Look at the web page of the master; docs/cluster.md names the settings",
        ) from error
    except Exception as error:
        raise Unavailable(
            f"The executors of {settings.master} cannot run provhouse",
            reason(str(error)),
            "Install the packages of provhouse on every worker, for the Python that PYSPARK_PYTHON "
            f"names (now {context.pythonExec})",
        ) from error
    for host, found in looks:
        if found != wanted:
            raise Unavailable(
                f"An executor on {host} does not see the warehouse {settings.warehouse}",
                f"The file {IDENTITY} is {'another one' if found else 'missing'} there",
                "Move the warehouse to a folder that this machine and all workers share, "
                "under the same path",
            )


def _look(file: Path) -> tuple[str, bytes]:
    """Import the packages that tasks use; return this worker's host and the content of ``file``."""
    import socket

    import numba  # noqa: F401
    import pyarrow  # noqa: F401

    return socket.gethostname(), _content(file)


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def reason(message: str) -> str:
    """Return the line of Spark's message that describes the problem, or else the first line."""
    lines = message.strip().splitlines() or ["Spark gave no reason"]
    telling = [line for line in lines if "NotFoundError" in line or "MISMATCH" in line]
    return (telling or lines)[0].strip()
