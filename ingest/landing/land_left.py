"""Ingest the folders of captured jobs that have ended without an ingest."""

import shutil
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from provhouse.capturing.reading.file_names import Key
from provhouse.model.errors import BadInput, ProvhouseError
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.warehouse.captured_blocks import (
    blocks_below,
    held,
    note_failure,
    read_block,
    waiting_blocks,
)
from provhouse.store.warehouse.layout import Layout

from .fetched_folders import fetch, localise
from .land import land_block
from .landed import Landed

Register = Callable[[Path, str, Landed], Landed]
"""A function that stores a landed block as a revision of a workflow.

Its arguments are the block's folder, the workflow's name, and the outcome. It returns the outcome
with the revision.
"""


def land_left(
    place: Path | str | None,
    settings: Settings,
    progress: Progress,
    register: Register,
    keys: Mapping[str, Key] | None = None,
) -> Landed:
    """Ingest one folder, or all folders that no running job has locked, and remove them.

    ``place`` is the folder of an application, a local folder with folders of applications, or an
    address on a file system of Hadoop, whose folders are first moved into the warehouse. None
    stands for the folders in the warehouse.

    Each folder becomes a generation. Folders are ingested from the oldest to the newest, because a
    job may read tables that an earlier job wrote. For the same reason, the first error ends the
    ingest: the folder with the error and all later folders stay. A block that names a workflow is
    passed to ``register`` when it has landed. Raises the errors of ``land_block``, and Busy if the
    job of the folder still runs.
    """
    folders = _folders(place, Layout(settings.warehouse))
    landed = list[Landed]()
    for each in folders:
        workflow = read_block(each).workflow
        with held(each):
            try:
                localise(each, Layout(settings.warehouse))
                found = land_block(each, settings, progress, keys, keep=bool(workflow))
                if found.fault:
                    raise found.fault
            except ProvhouseError as error:
                note_failure(each, error)
                error.found = f"{error.found}. It concerns the captured job in {each}"
                if isinstance(error, BadInput) and len(folders) > 1:
                    error.remedy += ", or remove this folder to ingest the others without it"
                raise
            if workflow:
                found = register(each, workflow, found)
                shutil.rmtree(each)
            landed.append(found)
    return together(landed)


def _folders(place: Path | str | None, layout: Layout) -> list[Path]:
    if isinstance(place, str):
        return sorted(fetch(place, layout), key=lambda folder: read_block(folder).begun)
    if place is None:
        return list(waiting_blocks(layout))
    return list(blocks_below(place)) or [place]


def together(landed: Iterable[Landed]) -> Landed:
    """Combine the outcomes of several blocks; ``generation`` is the newest one."""
    every = list(landed)
    unused = [each.unused_keys for each in every if each.unused_keys]
    return Landed(
        tuple(write for each in every for write in each.writes),
        max((each.generation for each in every), default=0),
        tuple(path for each in every for path in each.incomplete),
        tuple(refusal for each in every for refusal in each.refusals),
        unused_keys=unused[0] if unused else None,
        revision=", ".join(each.revision for each in every if each.revision),
        unstored=tuple(note for each in every for note in each.unstored),
        marks=tuple(mark for each in every for mark in each.marks),
    )
