"""All data that a commit record relies on is synced to disk before the record appears."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.graphs import graph
from helpers.warehouse import House
from provhouse.care.compact import compact
from provhouse.model.progress import Silent
from provhouse.store.tables import delta_tables as tables

WORTHLESS = {"staging", "logs", "write.lock", ".in-use"}
"""The files and folders that are not needed by any commit."""


def needed(folder: Path) -> list[Path]:
    """Return the folder and all its files and folders that commits need."""
    return [folder, *(path for path in folder.rglob("*") if not WORTHLESS & set(path.parts))]


@pytest.mark.long
def test_every_file_and_folder_is_synced_before_the_record(
    houses: Callable[..., House], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two ingests and a compaction are checked. The logs of the Delta tables have checkpoints."""
    monkeypatch.setitem(tables.CONFIGURATION, "delta.checkpointInterval", "1")
    house = houses(theta=4, pack=0, partition_triples=20)
    synced: set[int] = set()
    lacking: dict[str, list[Path]] = {}
    fsync, link = os.fsync, os.link

    def spied_fsync(handle: int) -> None:
        synced.add(os.fstat(handle).st_ino)
        fsync(handle)

    def spied_link(aside: Path, path: Path) -> None:
        if path.parent == house.layout.commits:
            found = needed(house.layout.root)
            lacking[path.name] = [one for one in found if one.stat().st_ino not in synced]
            synced.discard(house.layout.commits.stat().st_ino)
        link(aside, path)

    monkeypatch.setattr(os, "fsync", spied_fsync)
    monkeypatch.setattr(os, "link", spied_link)
    for seed in (1, 2):
        house.ingest(graph(seed).triples)
    compact(house.settings, Silent())
    assert list(lacking) == ["1.json", "2.json", "3.json"]
    assert lacking["1.json"] == [
        house.layout.commits
    ]  # the folder is synced after the record is in it
    assert house.layout.root.parent.stat().st_ino in synced
    assert house.layout.commits.stat().st_ino in synced
    assert [one for name in list(lacking)[1:] for one in lacking[name]] == []
    assert list(house.layout.root.glob("base-1/sets/_delta_log/*.checkpoint.parquet"))
