"""Tasks of one job report their progress while they run."""

import time
from pathlib import Path

import numpy as np
import pytest
from pyspark.sql import SparkSession

from provhouse.model.errors import BadInput
from provhouse.model.progress import Silent
from provhouse.runtime.spark.tasks import Sizes, report_progress, run_tasks
from provhouse.runtime.storage import create_array, list_files, load_array


class Recorded(Silent):
    """A progress that stores the reports."""

    def __init__(self) -> None:
        self.reports: list[tuple[int, int, str]] = []

    def advance(self, done: int, total: int, unit: str = "") -> None:
        """Store a report."""
        self.reports.append((done, total, unit))


def half(seconds: float) -> float:
    """Report that half of the task is done, then wait for ``seconds`` seconds."""
    report_progress(0.5)
    time.sleep(seconds)
    return seconds


@pytest.mark.long
def test_a_large_task_reports_its_progress(spark: SparkSession, tmp_path: Path) -> None:
    recorded = Recorded()
    sizes = Sizes(tmp_path / "done", [10, 1_000], "bytes")
    assert run_tasks(spark.sparkContext, half, [0.0, 2.0], recorded, sizes) == [0.0, 2.0]
    assert (510, 1_010, "bytes") in recorded.reports


def test_tasks_run_without_spark() -> None:
    assert run_tasks(None, half, [0.0], Silent()) == [0.0]


class Awaited(Recorded):
    """A progress that creates a file as soon as ``report`` arrives."""

    def __init__(self, report: tuple[int, int, str], file: Path) -> None:
        super().__init__()
        self.report = report
        self.file = file

    def advance(self, done: int, total: int, unit: str = "") -> None:
        """Store a report. Create the file if it is the awaited report."""
        super().advance(done, total, unit)
        if self.report in self.reports:
            self.file.touch()


def soon_or_after(file: Path | None) -> None:
    """Return as soon as ``file`` exists; without a file, return after half a second."""
    if file:
        await_file(file)
    else:
        time.sleep(0.5)


def test_progress_is_reported_without_a_shared_file(spark: SparkSession, tmp_path: Path) -> None:
    """If workers cannot open the file in which tasks report, the driver counts ended tasks."""
    recorded = Awaited((500, 1_000, "bytes"), tmp_path / "half is reported")
    with (tmp_path / "done").open("w+b") as file:
        sizes = Sizes(Path(f"/proc/self/fd/{file.fileno()}"), [500, 500], "bytes")
        # If a task ends within 100 ms of its last update, Spark counts the task up to ten seconds
        # later.
        run_tasks(spark.sparkContext, soon_or_after, [None, recorded.file], recorded, sizes)
    assert recorded.report in recorded.reports


def written_and_read(folder: Path) -> tuple[list[int], bool]:
    """Return what a task reads from its own file, and whether other processes see the file yet."""
    path = folder / "own.npy"
    create_array(path, "int64", (2,))[:] = 7
    return load_array(path).tolist(), path.exists()


def test_a_task_reads_what_it_has_written(spark: SparkSession, tmp_path: Path) -> None:
    assert run_tasks(spark.sparkContext, written_and_read, [tmp_path], Silent()) == [
        ([7, 7], False)
    ]
    assert load_array(tmp_path / "own.npy").tolist() == [7, 7]


def first_or_second(job: tuple[Path, str]) -> bool:
    """Write a file in two halves. Between the halves, a second attempt writes the complete file.

    Return whether the first attempt, before its own end, saw the complete file of the second
    attempt.
    """
    folder, attempt = job
    begun, ended = folder / "first has begun", folder / "second has ended"
    path = folder / "numbers.npy"
    if attempt == "second":
        await_file(begun)
        create_array(path, "int64", (4,))[:] = 7
        ended.touch()
        return False
    array = create_array(path, "int64", (4,))
    array[:2] = 7
    begun.touch()
    await_file(ended)
    late = time.monotonic() + 20
    while not path.exists() and time.monotonic() < late:  # wait until the end of the second attempt
        time.sleep(0.01)
    array[:] = 0
    whole: bool = np.load(path).tolist() == [7] * 4  # load_array would read this attempt's own file
    if attempt == "gives up":
        raise BadInput("This attempt fails")
    array[:] = 7
    return whole


def await_file(path: Path) -> None:
    """Wait until a file exists."""
    late = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < late
        time.sleep(0.01)


@pytest.mark.parametrize("first", ["goes on", "gives up"])
def test_two_attempts_at_a_task_never_mix_their_files(
    spark: SparkSession, tmp_path: Path, first: str
) -> None:
    """Spark starts a task of a lost executor again, but the first attempt may still be running."""
    attempts = [(tmp_path, first), (tmp_path, "second")]
    if first == "gives up":
        with pytest.raises(BadInput, match="This attempt fails"):
            run_tasks(spark.sparkContext, first_or_second, attempts, Silent())
    else:
        assert run_tasks(spark.sparkContext, first_or_second, attempts, Silent()) == [True, False]
    assert load_array(tmp_path / "numbers.npy").tolist() == [7] * 4
    assert list_files(tmp_path, "*.npy") == [tmp_path / "numbers.npy"]
    assert not [*tmp_path.glob(".*")]
