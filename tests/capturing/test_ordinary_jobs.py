"""Thirty ordinary, unchanged jobs are captured through the configuration of one session.

The jobs are of the kinds that public repositories have; `tests/helpers/job_inputs.py` makes their
inputs. None is refused. Captured lineage must be right: if the job runs without capture on only the
records in a row's lineage, it writes this row again.
"""

import json
import runpy
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from helpers import run_jobs
from helpers.job_inputs import cut, rows_of, write_inputs
from helpers.warehouse import House
from helpers.witnesses import ids_of
from provhouse.capturing.jvm_rules import CaptureReports, capturing
from provhouse.capturing.reading.finished import captured_writes, outputs_of
from provhouse.capturing.reading.traced_rows import Traced, traced
from provhouse.capturing.scripts import run_script
from provhouse.capturing.spark_settings import configuration
from provhouse.model.associations import ROW_BITS

JOBS = Path(__file__).parent / "jobs"
NAMES = sorted(path.stem for path in JOBS.glob("*.py"))
DAILY = ("lookup_join", "quarantine_rows", "reachable_nodes")
COLLECTED = ("incremental_load", "quality_metrics")
"""Jobs that collect rows and compute values from them. Capture does not follow such values."""


@dataclass(frozen=True)
class Row:
    """A row of a captured write."""

    write: int
    number: int


class Written:
    """The rows of all writes of captured jobs, and the records that they derive from."""

    def __init__(self, folder: Path) -> None:
        self.found: list[Traced] = []
        for write in captured_writes(folder):
            if write.state == "finished":
                outputs = outputs_of([write])
                self.found += [traced(output, write.folder) for output in outputs]
        self._made = {
            path: (number, int(found.output.starts[at]))
            for number, found in enumerate(self.found)
            for at, path in enumerate(found.output.files)
        }

    def text(self, row: Row) -> str:
        """Return the record of a row."""
        output = self.found[row.write].output
        at = next(at for at in range(len(output.files)) if output.starts[at + 1] > row.number)
        header = output.write.header
        return rows_of(output.files[at])[row.number - int(output.starts[at]) + header]

    def rows(self, write: int) -> Iterator[Row]:
        """Yield the first and the last row of a write."""
        count = int(self.found[write].output.starts[-1])
        yield from (Row(write, number) for number in sorted({0, count - 1}) if count)

    def records(self, row: Row) -> Mapping[Path, set[int]]:
        """Return the positions of the input records that a row derives from, by file.

        The lineage of rows from other captured writes is followed back to the inputs.
        """
        found, waiting, seen = defaultdict[Path, set[int]](set), [row], {row}
        while waiting:
            of = self.found[(row := waiting.pop()).write]
            files = {source.number: source for source in of.output.write.sources}
            for each in ids_of(of, row.number):
                source = files.get(each >> ROW_BITS)
                if source is None:  # a row of the program
                    continue
                position = each & ((1 << ROW_BITS) - 1)
                if source.path not in self._made:
                    found[source.path].add(position)
                    continue
                write, first = self._made[source.path]
                if (before := Row(write, first + position)) not in seen:
                    seen.add(before)
                    waiting.append(before)
        return found


def run_plain(job: Path, source: Path, target: Path, patch: pytest.MonkeyPatch) -> None:
    """Run a job in the session of the tests."""
    patch.setattr(sys, "argv", [str(job), str(source), str(target)])
    runpy.run_path(str(job), run_name="__main__")


def check_rows(
    folder: Path,
    inputs: Path,
    results: Callable[[str], Path],
    at: Path,
    patch: pytest.MonkeyPatch,
) -> int:
    """Rerun each job on only the records behind a row; fail if it does not write the row again.

    Returns the number of rows that were tried. ``results`` returns the folder of a job's results.
    """
    written, tried = Written(folder), 0
    for number, found in enumerate(written.found):
        path = found.output.write.path
        job = next(name for name in NAMES if path.is_relative_to(results(name)))
        if job in COLLECTED:
            continue
        for row in written.rows(number):
            tried += 1
            place = at / str(tried)
            cut(inputs, written.records(row), place / "in")
            run_plain(JOBS / f"{job}.py", place / "in", place / "out", patch)
            again = place / "out" / path.relative_to(results(job))
            files = [file for file in again.rglob("part-*") if file.is_file()]
            assert written.text(row) in [text for file in files for text in rows_of(file)], (
                f"row {row.number} of {path}"
            )
    return tried


@pytest.mark.long
def test_ordinary_jobs_are_captured_and_right(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs, taken = tmp_path / "in", CaptureReports()
    write_inputs(inputs)
    with capturing(spark, tmp_path / "taps", taken, {}):
        for name in DAILY:
            run_plain(JOBS / f"{name}.py", inputs, tmp_path / name, monkeypatch)
    assert check_rows(tmp_path / "taps", inputs, tmp_path.joinpath, tmp_path / "again", monkeypatch)


@pytest.mark.long
def test_thirty_jobs_are_captured_by_their_configuration(
    houses: Callable[..., House],
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    house, inputs, out = houses(), tmp_path / "in", tmp_path / "out"
    write_inputs(inputs)
    out.mkdir()
    jobs = [str(JOBS / f"{name}.py") for name in NAMES]
    ran = run_script(
        Path(run_jobs.__file__),
        [str(inputs), str(out), *jobs],
        configuration(house.settings.warehouse, {}),
    )
    errors = {name: text for name, text in _errors(out).items() if text}
    assert (len(NAMES), errors) == (30, {})
    (folder,) = ran.folders
    assert check_rows(folder, inputs, out.joinpath, tmp_path / "again", monkeypatch) > 30
    with house.open() as warehouse:
        landed = warehouse.ingest_captured()
    assert not landed.kept_out
    spark.sql("DROP DATABASE IF EXISTS shop CASCADE")


def _errors(out: Path) -> Mapping[str, str]:
    found: Mapping[str, str] = json.loads((out / "errors.json").read_text(encoding="utf-8"))
    return found
