"""The numbers of tasks, staged files and open files stay small, however many input files exist."""

import subprocess
import sys
from pathlib import Path

import pytest

from provhouse.ingest.formats.source import Source
from provhouse.ingest.job import Inputs, Job
from provhouse.ingest.staging import Staging
from provhouse.ingest.steps import read as reading
from provhouse.ingest.steps.cut_components import cut
from provhouse.ingest.steps.grouping import TASKS, consecutive
from provhouse.ingest.steps.number import number
from provhouse.ingest.steps.place import place
from provhouse.model.progress import Silent, Stopwatch
from provhouse.model.settings import Settings
from provhouse.runtime.storage import read_stream
from provhouse.store.warehouse.ids import Ids
from provhouse.store.warehouse.layout import Layout

FEW = 8
"""The number of tasks in a test.

Each of them reads two or three files, as with the usual number of tasks.
"""
FILES = 2 * FEW + 3
LIMITED = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 400))
from provhouse.ingest.formats.source import Source
from provhouse.ingest.staging import Staging
from provhouse.ingest.steps import read
from provhouse.ingest.steps.read_stage import StageFile
folder = Path(sys.argv[1])
buckets = read.bucket_count(128 << 30)
assert buckets == 256, buckets
source = Source(str(folder / "one.csv"), "csv")
done = StageFile(0, source, Staging(folder / "staging").create(), buckets, 0, 1, "unique").run()
assert done.valid == 1
"""


def test_files_are_divided_in_order_and_by_size() -> None:
    assert consecutive([5, 0, 7]) == [range(1), range(1, 2), range(2, 3)]
    sizes = [1 + n % 7 for n in range(10_000)]
    groups = consecutive(sizes)
    assert [n for group in groups for n in group] == list(range(10_000))
    assert len(groups) == TASKS
    totals = [sum(sizes[n] for n in group) for group in groups]
    assert max(totals) < 1.1 * min(totals)
    assert len(consecutive([0] * 1_000)) == TASKS
    assert consecutive([1 << 40, *[1] * 1_000]) == [range(1), range(1, 1_001)]


def test_many_files_and_buckets_make_few_staged_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "BUCKET_BYTES", 100)
    monkeypatch.setattr(consecutive, "__defaults__", (FEW,))
    sources = []
    for n in range(FILES):
        path = tmp_path / f"{n}.csv"
        if n == 7:  # only this file has derivations
            path.write_text("src,dst,derivation\nroot,item 7,d\nitem 7,leaf 7,\nroot,common,\n")
        else:
            path.write_text(f"src,dst\nroot,item {n}\nitem {n},leaf {n % 10}\nroot,common\n")
        sources.append(Source(str(path), "csv"))
    job = job_of(tmp_path, sources)
    rows = reading.read(job)
    assert (rows.rows, rows.rejected, rows.items) == (3 * FILES, 0, FILES + 12)
    buckets = reading.bucket_count(job.inputs.bytes_unpacked)
    assert buckets >= 8
    assert len(job.staging.names.all()) <= FEW * buckets
    placed = place(job, rows, numbered := number(job, rows), cut(job, rows, numbered))
    assert len(job.staging.range_rows.all()) <= FEW
    assert placed.triples == 2 * FILES + 1
    assert [origin.file for origin in placed.origins] == [source.path for source in sources]
    parts = [read_stream(path) for path in job.staging.range_rows.all()]
    firsts = [n for part in parts for n in part["origin"].to_pylist()]
    assert firsts == [n // 3 + 1 for n in range(3 * FILES)]
    assert sum(part.derived for part in placed.ranges) == 1


def job_of(folder: Path, sources: list[Source]) -> Job:
    """Return a job whose tasks run in this process."""
    settings = Settings(warehouse=folder / "warehouse")
    return Job(
        settings=settings,
        layout=Layout(settings.warehouse),
        before=None,
        extends=None,
        rolls_back_to=None,
        ids=Ids(),
        inputs=Inputs(sources),
        naming="unique",
        patterns={},
        staging=Staging(folder / "staging").create(),
        progress=Silent(),
        watch=Stopwatch(),
    )


@pytest.mark.long
def test_tasks_respect_the_limit_of_open_files(tmp_path: Path) -> None:
    """The soft limit is below the number of buckets.

    The hard limit allows only half of the buckets.
    """
    (tmp_path / "one.csv").write_text("src,dst\na,b\n")
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
