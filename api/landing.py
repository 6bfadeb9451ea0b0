"""Land a captured block when it ends, or keep its folder for a later ingest."""

import secrets
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from provhouse.capturing.jvm_rules import CaptureReports
from provhouse.capturing.reading.file_names import Key
from provhouse.ingest.landing.land import land_block
from provhouse.ingest.landing.landed import WHOLE_FRAME, Landed
from provhouse.model.errors import BadInput, ProvhouseError, UsageError
from provhouse.model.paths import local_path
from provhouse.model.progress import Silent
from provhouse.model.settings import Settings
from provhouse.serve.server_process import await_generation
from provhouse.store.tables.uncaptured import Uncaptured, note_uncaptured
from provhouse.store.warehouse.captured_blocks import (
    begin_block,
    note_failure,
    note_workflow,
    remove_kept,
)
from provhouse.store.warehouse.kept_folder import KeptFolder
from provhouse.store.warehouse.layout import Layout
from provhouse.workflows.revision_names import check_workflow

from .captured_block import Capture, Choices

Rules = Callable[[Path], AbstractContextManager[None]]
"""A function that captures all writes during a block; their files go below the given folder."""


def landing_block(
    block: Capture,
    captured: CaptureReports,
    rules: Rules,
    choices: Choices,
    given: Mapping[str, Any],
    workflow: str | None,
) -> Iterator[Capture]:
    """Capture a block into a warehouse, and land it when it ends; yield the block once.

    ``given`` are the settings of the warehouse. The other arguments are those of
    ``provhouse.capture``.
    """
    if workflow is not None:
        check_workflow(workflow)
    settings = Settings.load({**given, "warehouse": local_path(given["warehouse"])})
    layout = Layout(settings.warehouse)
    folder = layout.captured / secrets.token_hex(8)
    remove_kept(layout)
    run = choices.run or (f"{workflow}/{folder.name}" if workflow else "")
    keys = {table: tuple(columns) for table, columns in block.keys.items()}
    begin_block(folder, keys, run, choices.sample)
    block = replace(block, _folder=KeptFolder(folder))
    try:
        try:
            with rules(folder):
                yield block
            if workflow:
                note_workflow(folder, workflow)
        except BaseException:
            block.report = _landed_block(captured, settings, folder, ())
            raise  # the error of the job
        finally:
            if choices.plain:
                _note_plain(captured, layout, run)
        raised = (BadInput, UsageError)
        block.report = landed = _landed_block(captured, settings, folder, raised, workflow or "")
    finally:
        if block.report is None or not block.report.writes or block.report.fault:
            block.close()  # there is nothing to trace, or a later ingest needs the folder
    if landed.fault:
        raise landed.fault
    for each in landed.writes:
        if WHOLE_FRAME in each.supersets:
            warnings.warn(
                f"The rows of {each.table} went through an RDD, so each of them derives from all "
                "rows of the frame: a superset",
                stacklevel=4,
            )
    if landed.unused_keys and not captured.refusals:
        warnings.warn(str(landed.unused_keys), stacklevel=4)
    if missing := _never_written(choices.tables or (), landed):
        warnings.warn(missing, stacklevel=4)


def _landed_block(
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
            warnings.warn(f"{landed.fault}\n{_later(folder)}", stacklevel=5)
    for each in landed.refusals:
        warnings.warn(f"{each.name} was written without its lineage. {each.reason}", stacklevel=5)
    if workflow and landed.writes and not landed.fault:
        landed = registered(folder, workflow, landed, settings)
        for note in landed.unstored:
            warnings.warn(note, stacklevel=5)
    return replace(landed, refusals=(*captured.refusals, *landed.refusals))


def registered(
    folder: Path,
    workflow: str,
    landed: Landed,
    settings: Settings,
    keys: Mapping[str, Key] | None = None,
) -> Landed:
    """Store a landed job as a revision of a workflow, with its results; return the new outcome.

    ``keys`` replace the declared keys of the job.
    """
    from provhouse.workflows.captured_runs import register_job

    try:
        found = register_job(folder, workflow, settings, Silent(), keys)
    except ProvhouseError as error:
        return replace(landed, unstored=(f"The job is not a revision of {workflow}. {error}",))
    return replace(landed, revision=found.revision, unstored=found.notes)


def _kept(captured: CaptureReports, folder: Path, error: Exception, raised: bool) -> Landed:
    note_failure(folder, error)
    later = _later(folder)
    if raised:
        error.add_note(later)
        raise error
    warnings.warn(f"The lineage is not in the warehouse: {error}\n{later}", stacklevel=6)
    return Landed(refusals=captured.refusals, folder=folder, error=str(error))


def _later(folder: Path) -> str:
    return (
        "The tables that Spark wrote stay. To ingest their lineage later: provhouse ingest "
        f"--captured {folder}"
    )


def _note_plain(captured: CaptureReports, layout: Layout, run: str) -> None:
    """Store the names of the tables that were written without capture."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    note_uncaptured(
        layout,
        (Uncaptured(each.name, run, now, each.reason) for each in captured.refusals),
    )


def _never_written(tables: Sequence[str], landed: Landed) -> str:
    """Return a warning about names in ``tables`` that the block did not write, or ""."""
    written = sorted({each.table for each in landed.writes})
    begun = {*written, *(each.name for each in landed.refusals)}
    begun |= {Path(path).name for path in landed.incomplete}
    missing = sorted({*tables} - begun)
    if not missing or landed.error:
        return ""
    return (
        f"The block has captured no write of {', '.join(missing)}, which its tables name.\n"
        f"It has captured {', '.join(written) or 'none'}; other writes have no lineage."
    )
