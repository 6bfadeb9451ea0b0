"""What a writer does before anything else: remove what one that crashed has left."""

import shutil
from contextlib import suppress

import numpy as np

from provhouse.model.columns import INGEST
from provhouse.model.errors import Busy
from provhouse.model.faults import reach
from provhouse.store.commits import Commit, current, generations, read_commit
from provhouse.store.ids import finished, read_ids
from provhouse.store.layout import Layout, asides
from provhouse.store.locks import still_writing
from provhouse.store.tables import is_ahead, read_rows, take_back


def recover(layout: Layout) -> None:
    """Bring every folder to what the last commit says; Neo4j may keep more, which is harmless.

    Raises Busy, with nothing changed, where the lock of this writer is gone.
    """
    still_writing(layout)
    shutil.rmtree(layout.staging, ignore_errors=True)
    reach("staging removed")
    for folder in (layout.commits, layout.root):
        for file in asides(folder):
            file.unlink(missing_ok=True)
    last = current(layout)
    if not (read_ids(layout).unfinished or (last and is_ahead(layout, last))):
        return
    commits = [read_commit(layout, generation) for generation in generations(layout)]
    used = {layout.base(commit.base) for commit in commits}
    bases = list(layout.root.glob("base-*"))
    still_writing(layout)  # what lies there by now is nobody's but theirs that are dead
    for folder in bases:
        if folder not in used:
            shutil.rmtree(folder)
            reach("base removed")
    if last:
        take_back(layout, last.base, [c for c in commits if c.base == last.base])
        _drop_names(layout, last)
        reach("names dropped")
    finished(layout)


def put_away(layout: Layout) -> None:
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
    still_writing(layout)
    for file in files:
        ingest = file.name.split(".")[0].split("-")[-1]  # FIRST-INGEST.arrow or INGEST.hash.npy
        if int(ingest) not in committed:
            file.unlink()
