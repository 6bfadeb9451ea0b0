"""Restore the committed versions of Delta tables, and remove files that no commit refers to."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from provhouse.model.columns import TABLES
from provhouse.model.fault_points import reach
from provhouse.runtime.packages import Deferred

from ..warehouse.commits import Commit
from ..warehouse.layout import Layout
from ..warehouse.locks import check_lock
from .delta_tables import stored_files, table_files

if TYPE_CHECKING:
    import deltalake
else:
    deltalake = Deferred("deltalake")


def has_uncommitted_rows(layout: Layout, commit: Commit) -> bool:
    """Return whether tables of the base have rows that the last commit does not include."""
    for name in TABLES:
        folder, known = layout.table(commit.base, name), commit.tables.get(name)
        if known is None:
            if any((folder / "_delta_log").glob("*.json")):
                return True
            continue
        newer = (folder / "_delta_log" / f"{known + 1:020d}.json").exists()
        # A restored table also has newer versions, but with the files of the committed version.
        if newer and _newest_files(folder, known) != set(table_files(folder, name, known)):
            return True
    return False


def restore_tables(layout: Layout, base: int, commits: Sequence[Commit]) -> None:
    """Restore all tables of a base to their committed versions; remove files that no commit uses.

    A writer calls this after another writer has crashed. ``commits`` are all commits that use the
    base; a table without a committed version is removed. Raises Busy if another writer has taken
    the lock.
    """
    for name in TABLES:
        folder = layout.table(base, name)
        versions = {commit.tables[name] for commit in commits if name in commit.tables}
        files = list(folder.glob("*.parquet"))
        check_lock(layout)  # so the files listed above are from writers that died
        if not versions:
            shutil.rmtree(folder, ignore_errors=True)
            continue
        shown = {version: set(table_files(folder, name, version)) for version in versions}
        if _newest_files(folder, max(versions)) != shown[max(versions)]:
            deltalake.DeltaTable(folder).restore(max(versions))
            reach("table taken back")
        kept = set().union(*shown.values())
        for file in files:
            if file not in kept:
                file.unlink()


def remove_merged(layout: Layout, oldest: Commit) -> int:
    """Remove files of small tables if every remaining version has their rows in merged files.

    Returns the number of bytes removed. ``oldest`` is the oldest commit that uses its base. No
    process may read the base during this call. Only the writer may call this. Raises Busy if
    another writer has taken the lock.
    """
    freed = 0
    for name in TABLES.keys() - {"triples", "rejects"}:  # their files are never merged
        folder = layout.table(oldest.base, name)
        shown = table_files(folder, name, oldest.tables.get(name))
        for path in stored_files(folder):
            # A file after the last shown file was written later, so later versions may have it.
            if shown and path <= shown[-1] and path not in shown:
                check_lock(layout)
                freed += path.stat().st_size
                path.unlink()
                reach("merged file removed")
    return freed


def _newest_files(folder: Path, committed: int) -> set[Path]:
    """Return the files of the newest version of a table.

    If a log entry is torn, first remove all uncommitted log entries. Raises Damaged if the
    committed log entry is torn too.
    """
    try:
        return {folder / Path(uri).name for uri in deltalake.DeltaTable(folder).file_uris()}
    except (OSError, deltalake.exceptions.DeltaError):
        logs = folder / "_delta_log"
        (logs / "_last_checkpoint").unlink(missing_ok=True)  # only a hint, and it may be torn
        for log in logs.iterdir():
            version = log.name.split(".")[0]
            if version.isdigit() and int(version) > committed:
                log.unlink()
        table_files(folder, folder.name, committed)  # raises Damaged
        return {folder / Path(uri).name for uri in deltalake.DeltaTable(folder).file_uris()}
