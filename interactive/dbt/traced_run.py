"""Run dbt, find the lineage of the rows that it builds, and ingest it if Spark is installed."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq

from provhouse.model.errors import ProvhouseError
from provhouse.model.extras import require
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.warehouse.layout import Layout
from provhouse.workflows.dbt.passed_tests import with_status
from provhouse.workflows.dbt.project import project
from provhouse.workflows.executions import RegisteredJob
from provhouse.workflows.revision_names import check_workflow

from .child_process import DbtRun, run_dbt
from .kept_tables import KeptTables
from .project_lineage import BuiltProject, project_lineage
from .trace_file import ops_path, trace_path

REFUSED = 3
"""The exit status if dbt succeeded, but the rows of a model have no lineage."""
FAILED = ("fail", "warn")


@dataclass(frozen=True)
class TracedRun:
    """One dbt run, and the outcome for its lineage."""

    status: int
    built: BuiltProject | None = None
    """The lineage; None if nothing was built."""
    generation: int = 0
    """The warehouse generation that contains the lineage; 0 if only files contain it."""
    why_waiting: str = ""
    """The reason why the lineage is only in files; empty if the warehouse contains it."""
    folder: Path = field(default_factory=Path)
    results: Path | None = None
    """dbt's results file if a test has failed; else None."""
    job: RegisteredJob | None = None
    """The revision of the workflow; None if no workflow was named or nothing was built."""


def lineage_folder(settings: Settings) -> Path:
    """Return the folder for the lineage of runs, which is next to the warehouse."""
    return settings.warehouse.with_name(f"{settings.warehouse.name}-dbt")


def traced_run(
    arguments: Sequence[str],
    executable: str,
    settings: Settings,
    progress: Callable[[], AbstractContextManager[Progress]],
    workflow: str = "",
) -> TracedRun:
    """Run dbt with the given arguments, and record the lineage of all rows that it builds.

    ``progress`` creates a progress display, which begins when dbt has ended. With ``workflow``, the
    built models are stored as a revision of this workflow, with their results.
    """
    if workflow:
        check_workflow(workflow)
    folder = lineage_folder(settings)
    with TemporaryDirectory(prefix="provhouse-dbt-") as aside, KeptTables(folder) as kept:
        run = run_dbt(arguments, executable, Path(aside))
        if isinstance(run, int):
            return TracedRun(run)
        with progress() as display:
            found = _lineage(run, kept, folder, settings, display)
            return replace(found, job=_job(run, workflow, settings, display)) if workflow else found


def _job(run: DbtRun, workflow: str, settings: Settings, progress: Progress) -> RegisteredJob:
    """Store what a run has built as a revision; note the reason if this is not possible."""
    from provhouse.workflows.dbt.built_results import register_built

    try:
        found = project(run.target)
        place = run.database, run.path
        return register_built(workflow, found, place, run.settings, settings, progress)
    except ProvhouseError as error:
        return RegisteredJob("", (f"The run is not a revision of {workflow}. {error}",))


def _lineage(
    run: DbtRun, kept: KeptTables, folder: Path, settings: Settings, progress: Progress
) -> TracedRun:
    progress.begin("find the lineage")
    found = project(run.target)
    failed = with_status(found, *FAILED) & {test["unique_id"] for test in found.tests}
    results = run.target / "run_results.json" if failed else None
    built = project_lineage(run, found, kept, folder)
    generation, why = 0, ""
    if kept.waiting():
        try:
            generation = ingest_waiting(kept, folder, settings, progress)
        except ProvhouseError as error:
            why = str(error)
    refused = built is not None and any(model.refused for model in built.models)
    status = run.status or (REFUSED if refused else 0)
    return TracedRun(status, built, generation, why, folder, results)


def ingest_waiting(kept: KeptTables, folder: Path, settings: Settings, progress: Progress) -> int:
    """Ingest the lineage of all runs that are not yet ingested; return the last generation."""
    from provhouse.commit.single_writer import only_writer
    from provhouse.ingest.from_arrow import from_arrow

    require("spark")
    generation = 0
    for run, _ in kept.waiting():
        path = trace_path(folder, run)
        with pq.ParquetFile(path) as file, only_writer(settings, progress):
            rows = pa.RecordBatchReader.from_batches(file.schema_arrow, file.iter_batches())
            found = from_arrow(
                rows, settings, label=f"dbt run {run}", progress=progress,
                run=f"dbt {run}", strict=True, operations=ops_path(path),
            )  # fmt: skip
            _end_rows(run, kept.ended(run), found.generation, Layout(settings.warehouse))
        kept.landed(run)
        generation = found.generation
    return generation


def _end_rows(run: int, names: pa.Array, generation: int, layout: Layout) -> None:
    """Store which rows a run has ended; later questions about ``generation`` see it."""
    from provhouse.store.tables.kept_rows import add_ended_by_dbt
    from provhouse.store.warehouse.commits import read_commit

    if len(names):
        before = read_commit(layout, generation).rolls_back_to if generation else None
        add_ended_by_dbt(layout, run, names, before or 0)
