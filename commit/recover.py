"""Recover as the first step of every writer: remove the unfinished work of a crashed writer."""

import shutil
from contextlib import suppress

import numpy as np

from provhouse.model.columns import INGEST
from provhouse.model.errors import Busy, Damaged
from provhouse.model.fault_points import reach
from provhouse.store.names.erased import ERASED
from provhouse.store.tables.delta_recovery import has_uncommitted_rows, restore_tables
from provhouse.store.tables.delta_tables import read_rows
from provhouse.store.tables.registry import REGISTRY, remove_earlier_form
from provhouse.store.warehouse.bases import bases, remove_unused
from provhouse.store.warehouse.commits import (
    REGISTERED,
    Commit,
    current,
    drop_commits,
    generations,
    read_commit,
)
from provhouse.store.warehouse.ids import mark_finished, read_ids
from provhouse.store.warehouse.json_records import left_records
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import check_lock


def recover(layout: Layout, *, thorough: bool = False) -> None:
    """Restore the warehouse's files to the last commit, and complete an interrupted prune.

    Neo4j may keep uncommitted data, which is harmless. With ``thorough``, all bases are checked
    even if no writer was interrupted, since a warehouse that was copied during a write has
    uncommitted data. If this writer's lock was removed, raises Busy without changing anything.
    Raises Damaged if there are bases but no commit records.
    """
    check_lock(layout)
    last = current(layout)  # raises an error for a newer format
    ids = read_ids(layout)
    if last is None and not ids.unfinished and bases(layout):
        raise Damaged(
            f"All commit records are missing from {layout.commits}",
            "The warehouse has bases, which need them",
            "Restore the folder from a backup",
        )
    _remove_temporary(layout)
    if last and last.format >= REGISTERED:
        for table in REGISTRY:
            remove_earlier_form(layout, table)
    if ids.unfinished:
        drop_commits(layout, ids.pruned)
    remove_unused(layout)
    if not (ids.unfinished or thorough or (last and has_uncommitted_rows(layout, last))):
        return
    _restore_bases(layout, all_bases=thorough)
    mark_finished(layout)


def clean_up(layout: Layout) -> None:
    """Recover once more at the end of a writer, in case the writer failed or was interrupted.

    Do nothing if another writer has taken the lock: that writer has already recovered.
    """
    with suppress(Busy):
        recover(layout)


def _remove_temporary(layout: Layout) -> None:
    """Remove the staging folder, and the temporary files of commit records and other records."""
    shutil.rmtree(layout.staging, ignore_errors=True)
    reach("staging removed")
    for folder in (layout.commits, layout.root):
        for file in left_records(folder):
            check_lock(layout)
            file.unlink(missing_ok=True)


def _restore_bases(layout: Layout, *, all_bases: bool) -> None:
    """Remove uncommitted rows and names from the last commit's base, or from all bases."""
    commits = [read_commit(layout, generation) for generation in generations(layout)]
    newest = {commit.base: commit for commit in commits}
    for commit in newest.values() if all_bases else commits[-1:]:
        restore_tables(layout, commit.base, [c for c in commits if c.base == commit.base])
        _drop_names(layout, commit)
        reach("names dropped")


def _drop_names(layout: Layout, commit: Commit) -> None:
    folder = layout.table(commit.base, "ingests")
    rows = read_rows(folder, "ingests", commit.tables["ingests"], [INGEST])
    committed = set(np.asarray(rows[INGEST]).tolist())
    files = list(layout.names(commit.base).iterdir())
    check_lock(layout)
    for file in files:
        if file.name.startswith(ERASED):
            continue
        ingest = file.name.split(".")[0].split("-")[-1]  # of FIRST-INGEST.arrow or INGEST.hash.npy
        if int(ingest) not in committed:
            file.unlink()
