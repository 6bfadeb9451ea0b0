"""Tasks of one job report their progress while they run."""

import time
from pathlib import Path

from pyspark.sql import SparkSession

from provhouse.model.progress import Silent
from provhouse.spark.tasks import Sizes, report_progress, run_tasks


class Recorded(Silent):
    """Keeps the reports of progress."""

    def __init__(self) -> None:
        self.reports: list[tuple[int, int, str]] = []

    def advance(self, done: int, total: int, unit: str = "") -> None:
        """Keep a report."""
        self.reports.append((done, total, unit))


def half(seconds: float) -> float:
    """Report that half of the task is done, then wait for this many seconds."""
    report_progress(0.5)
    time.sleep(seconds)
    return seconds


def test_a_large_task_reports_its_progress(spark: SparkSession, tmp_path: Path) -> None:
    recorded = Recorded()
    sizes = Sizes(tmp_path / "done", [10, 1_000], "bytes")
    assert run_tasks(spark.sparkContext, half, [0.0, 2.0], recorded, sizes) == [0.0, 2.0]
    assert (510, 1_010, "bytes") in recorded.reports


def test_tasks_run_without_spark() -> None:
    assert run_tasks(None, half, [0.0], Silent()) == [0.0]


def test_progress_is_reported_without_a_shared_file(spark: SparkSession, tmp_path: Path) -> None:
    """If workers cannot open the file in which tasks report, the driver counts finished tasks."""
    recorded = Recorded()
    with (tmp_path / "done").open("w+b") as file:
        sizes = Sizes(Path(f"/proc/self/fd/{file.fileno()}"), [500, 500], "bytes")
        # Spark counts a task at once only if it ends over 100 ms after Spark's last update.
        assert run_tasks(spark.sparkContext, half, [0.5, 2.5], recorded, sizes) == [0.5, 2.5]
    assert (500, 1_000, "bytes") in recorded.reports
