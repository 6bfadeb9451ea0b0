"""What a writer does before anything else: remove what one that crashed has left."""

import shutil

import numpy as np

from provhouse.model.columns import INGEST
from provhouse.model.faults import reach
from provhouse.store.commits import Commit, generations, read_commit
from provhouse.store.ids import finished, read_ids
from provhouse.store.layout import Layout
from provhouse.store.tables import read_rows, take_back


def recover(layout: Layout) -> None:
    """Bring every folder to what the last commit says; Neo4j may keep more, which is harmless."""
    shutil.rmtree(layout.staging, ignore_errors=True)
    reach("staging removed")
    if not read_ids(layout).unfinished:
        return
    commits = [read_commit(layout, generation) for generation in generations(layout)]
    used = {layout.base(commit.base) for commit in commits}
    for folder in layout.root.glob("base-*"):
        if folder not in used:
            shutil.rmtree(folder)
            reach("base removed")
    if commits:
        last = commits[-1]
        take_back(layout, last.base, [c for c in commits if c.base == last.base])
        _drop_names(layout, last)
        reach("names dropped")
    finished(layout)


def _drop_names(layout: Layout, commit: Commit) -> None:
    folder = layout.table(commit.base, "ingests")
    rows = read_rows(folder, "ingests", commit.tables["ingests"], [INGEST])
    committed = set(np.asarray(rows[INGEST]).tolist())
    for file in layout.names(commit.base).iterdir():
        ingest = file.name.split(".")[0].split("-")[-1]  # FIRST-INGEST.arrow or INGEST.hash.npy
        if int(ingest) not in committed:
            file.unlink()
