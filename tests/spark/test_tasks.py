"""Tasks of one job, and what they tell while they run."""

import time
from pathlib import Path

from pyspark.sql import SparkSession

from provhouse.model.progress import Silent
from provhouse.spark.tasks import Sizes, report_progress, run_tasks


class Heard(Silent):
    """Keeps what is told."""

    def __init__(self) -> None:
        self.told: list[tuple[int, int, str]] = []

    def advance(self, done: int, total: int, unit: str = "") -> None:
        """Keep it."""
        self.told.append((done, total, unit))


def half(seconds: float) -> float:
    """Tell that half is done, then take so long for the rest."""
    report_progress(0.5)
    time.sleep(seconds)
    return seconds


def test_a_large_task_tells_how_far_it_is(spark: SparkSession, tmp_path: Path) -> None:
    heard = Heard()
    sizes = Sizes(tmp_path / "done", [10, 1_000], "bytes")
    assert run_tasks(spark.sparkContext, half, [0.0, 2.0], heard, sizes) == [0.0, 2.0]
    assert (510, 1_010, "bytes") in heard.told


def test_nobody_needs_to_listen() -> None:
    assert run_tasks(None, half, [0.0], Silent()) == [0.0]
