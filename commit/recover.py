"""What a writer does before anything else: remove what one that crashed has left."""

import shutil
from contextlib import suppress

import numpy as np

from provhouse.model.columns import INGEST
from provhouse.model.errors import Busy, Damaged
from provhouse.model.faults import reach
from provhouse.store.names.erased import ERASED
from provhouse.store.tables.delta import has_uncommitted_rows, read_rows, restore_tables
from provhouse.store.warehouse.bases import bases, remove_unused
from provhouse.store.warehouse.commits import (
    Commit,
    current,
    drop_commits,
    generations,
    read_commit,
)
from provhouse.store.warehouse.ids import mark_finished, read_ids
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import check_lock
from provhouse.store.warehouse.records import left_records


def recover(layout: Layout, *, thorough: bool = False) -> None:
    """Bring every folder to what the last commit says; Neo4j may keep more, which is harmless.

    A prune that was cut off is carried on. ``thorough`` looks at all bases whether or not a writer
    says that it was cut off: a copy that was made beside a writer has what nobody committed.
    Raises Busy, with nothing changed, where the lock of this writer is gone, Damaged where
    bases are left and all records are gone.
    """
    check_lock(layout)
    last = current(layout)  # refuses a warehouse of a newer provhouse before anything is touched
    ids = read_ids(layout)
    if last is None and not ids.unfinished and bases(layout):
        raise Damaged(
            f"{layout.commits} should have the records of the bases beside it",
            "It has none",
            "Bring the folder back from a backup",
        )
    shutil.rmtree(layout.staging, ignore_errors=True)
    reach("staging removed")
    for folder in (layout.commits, layout.root):
        for file in left_records(folder):
            check_lock(layout)
            file.unlink(missing_ok=True)
    if ids.unfinished:
        drop_commits(layout, ids.pruned)
    remove_unused(layout)
    if not (ids.unfinished or thorough or (last and has_uncommitted_rows(layout, last))):
        return
    commits = [read_commit(layout, generation) for generation in generations(layout)]
    newest = {commit.base: commit for commit in commits}
    for commit in newest.values() if thorough else commits[-1:]:
        restore_tables(layout, commit.base, [c for c in commits if c.base == commit.base])
        _drop_names(layout, commit)
        reach("names dropped")
    mark_finished(layout)


def clean_up(layout: Layout) -> None:
    """At the end of a writer, whatever went wrong: nothing half-written stays.

    Unless the warehouse is another's by now, who has put it away.
    """
    with suppress(Busy):
        recover(layout)


def _drop_names(layout: Layout, commit: Commit) -> None:
    folder = layout.table(commit.base, "ingests")
    rows = read_rows(folder, "ingests", commit.tables["ingests"], [INGEST])
    committed = set(np.asarray(rows[INGEST]).tolist())
    files = list(layout.names(commit.base).iterdir())
    check_lock(layout)
    for file in files:
        if file.name.startswith(ERASED):
            continue
        ingest = file.name.split(".")[0].split("-")[-1]  # FIRST-INGEST.arrow or INGEST.hash.npy
        if int(ingest) not in committed:
            file.unlink()
