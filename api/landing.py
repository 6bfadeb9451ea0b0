"""Land a captured block when it ends, or keep its folder for a later ingest."""

import warnings
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from provhouse.capturing.jvm_rules import CaptureReports
from provhouse.ingest.landing.land import land_block
from provhouse.ingest.landing.landed import Landed
from provhouse.model.errors import ProvhouseError
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.serve.server_process import await_generation
from provhouse.store.tables.uncaptured import Uncaptured, note_uncaptured
from provhouse.store.warehouse.captured_blocks import note_failure
from provhouse.store.warehouse.layout import Layout


def landed_block(
    captured: CaptureReports,
    settings: Settings,
    folder: Path,
    raised: tuple[type[Exception], ...],
    workflow: str = "",
) -> Landed:
    """Ingest the captured lineage. After an error, keep its folder, and warn.

    Errors of the classes in ``raised`` are raised instead. If ``workflow`` is not empty, the job is
    stored as a revision of this workflow, with its results.
    """
    try:
        landed = land_block(folder, settings, Silent(), keep=True)
        if landed.generation:
            await_generation(settings, landed.generation, Silent())
    except Exception as error:
        return _kept(captured, folder, error, isinstance(error, raised))
    if landed.fault:
        note_failure(folder, landed.fault)
        landed.fault.add_note(_later(folder))
        if not raised:
            warnings.warn(f"{landed.fault}\n{_later(folder)}", stacklevel=4)
    for each in landed.refusals:
        warnings.warn(f"{each.name} was written without its lineage. {each.reason}", stacklevel=4)
    if workflow and landed.writes and not landed.fault:
        landed = replace(landed, revision=_registered(landed, settings, folder, workflow))
    return replace(landed, refusals=(*captured.refusals, *landed.refusals))


def _registered(landed: Landed, settings: Settings, folder: Path, workflow: str) -> str:
    """Store the job as a revision of a workflow, with its results; return the revision's name.

    If something cannot be stored, warn.
    """
    from provhouse.workflows.captured_runs import register_job

    try:
        found = register_job(folder, workflow, landed, settings, Silent())
    except ProvhouseError as error:
        warnings.warn(f"The job is not a revision of {workflow}. {error}", stacklevel=5)
        return ""
    for note in found.notes:
        warnings.warn(note, stacklevel=5)
    return found.revision


def _kept(captured: CaptureReports, folder: Path, error: Exception, raised: bool) -> Landed:
    note_failure(folder, error)
    later = _later(folder)
    if raised:
        error.add_note(later)
        raise error
    warnings.warn(f"The lineage is not in the warehouse: {error}\n{later}", stacklevel=5)
    return Landed(refusals=captured.refusals, folder=folder, error=str(error))


def _later(folder: Path) -> str:
    return (
        "The tables that Spark wrote stay. To ingest their lineage later: provhouse ingest "
        f"--captured {folder}"
    )


def note_plain(captured: CaptureReports, layout: Layout, run: str) -> None:
    """Store the names of the tables that were written without capture."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    note_uncaptured(
        layout,
        (Uncaptured(each.name, run, now, each.reason) for each in captured.refusals),
    )
