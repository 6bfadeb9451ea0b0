"""Programs that occupy the queue of YARN, and that wait for room in it; each is a process.

late_start.py occupy        start an application, print a line, and end with the input
late_start.py wait FOLDER   start Spark for a warehouse, which has to fail in time
"""

import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from provhouse.model.errors import Unavailable
from provhouse.model.settings import Settings
from provhouse.runtime.spark import session

SECONDS = 30


def occupy() -> None:
    """Occupy the queue until the input ends."""
    started = SparkSession.builder.master("yarn").getOrCreate()
    print("started", flush=True)
    sys.stdin.read()
    started.stop()


def wait(folder: Path) -> None:
    """Start Spark, and fail unless this fails with the reason, without a process left."""
    session.START_SECONDS = SECONDS
    settings = Settings(warehouse=folder, master="yarn", spark_memory="512m")
    with pytest.raises(Unavailable, match=f"not started an application within {SECONDS} sec"):
        session.spark(settings, folder)
    assert not session.alive()


if __name__ == "__main__":
    occupy() if sys.argv[1] == "occupy" else wait(Path(sys.argv[2]))
