"""What a writer does before anything else: remove what one that crashed has left."""

import shutil

import numpy as np

from provhouse.model.columns import INGEST
from provhouse.store.commits import Commit, current, generations, read_commit
from provhouse.store.ids import finished, read_ids
from provhouse.store.layout import Layout
from provhouse.store.tables import read_rows, take_back


def recover(layout: Layout) -> None:
    """Bring every folder to what the last commit says; Neo4j may keep more, which is harmless."""
    shutil.rmtree(layout.staging, ignore_errors=True)
    if not read_ids(layout).unfinished:
        return
    used = {read_commit(layout, generation).base for generation in generations(layout)}
    for folder in layout.root.glob("base-*"):
        if folder.name.removeprefix("base-") not in {str(base) for base in used}:
            shutil.rmtree(folder)
    commit = current(layout)
    if commit:
        take_back(layout, commit.base, commit.tables)
        _drop_names(layout, commit)
    finished(layout)


def _drop_names(layout: Layout, commit: Commit) -> None:
    folder = layout.table(commit.base, "ingests")
    rows = read_rows(folder, "ingests", commit.tables["ingests"], [INGEST])
    committed = set(np.asarray(rows[INGEST]).tolist())
    for file in layout.names(commit.base).iterdir():
        ingest = file.name.split(".")[0].split("-")[-1]  # FIRST-INGEST.arrow or INGEST.hash.npy
        if int(ingest) not in committed:
            file.unlink()
