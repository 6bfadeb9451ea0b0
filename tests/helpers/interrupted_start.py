"""A program whose Spark is ended at several moments of its start, and then starts again.

A process can have only one context of PySpark, so the tests run this file as a separate process.
"""

import sys
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

import psutil

from provhouse.model.errors import Unavailable
from provhouse.model.settings import Settings
from provhouse.runtime.spark.session import alive, end, spark


def main(folder: Path) -> None:
    """End Spark at several moments of its start. Each time, the start must fail soon."""
    settings = Settings(warehouse=folder, spark_memory="512m")
    for seconds in (0.0, 1.5):
        failed: list[Unavailable] = []
        starting = Thread(target=_start, args=(settings, folder, failed), daemon=True)
        starting.start()
        _await_jvm()
        sleep(seconds)
        began = monotonic()
        end()
        starting.join(5)
        assert not starting.is_alive(), f"ended after {seconds} s, the start never returned"
        assert monotonic() - began < 20
        assert failed or seconds, "the start succeeded without its JVM"
        assert not alive()
        assert not psutil.Process().children(), "a zombie is left"
    assert spark(settings, folder).sparkContext.parallelize([1, 2], 1).sum() == 3
    end()


def _start(settings: Settings, folder: Path, failed: list[Unavailable]) -> None:
    try:
        spark(settings, folder)
    except Unavailable as error:
        failed.append(error)


def _await_jvm() -> None:
    while not alive():
        sleep(0.01)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
