"""The registered tables: Delta tables that belong to the warehouse, and to no base or generation.

Each table is declared once, in ``REGISTRY``, and is used only through this module:

- ``append(layout, table, rows)`` adds rows.
- ``replace(layout, table, where, rows)`` deletes the rows for which an expression is true, and adds
  rows, in one version.
- ``read(layout, table, columns, where)`` returns the rows in the order in which they were added.
- ``clear(layout, table)`` is the table's part of an erasure, ``remove_replaced(layout, table)`` its
  part of a prune, and ``files_of(layout, table)`` names the files that a check compares.

**Visibility.** A table has one state, its newest Delta version. No rollback, compaction or prune
changes it, and no commit record names it. Rows are visible as soon as their version is published,
thus before the commit record of the ingest that they belong to. So rows must be harmless without
this ingest, as the number of a file is, or they must record the generation that was current when
they were added, as captured writes do.

**Atomicity.** A version is published by linking its log entry, when its data are on disk. A killed
writer leaves at most files that no version has. A process never replaces a version that another
process has published meanwhile: it makes its change again, from that version. So processes that do
not have the writer's lock may append and replace too. A process that does have it checks, before it
publishes, that nobody has removed the lock.

**Form.** A table is in the folder ``tables/NAME``. Its log entries contain no values of rows. The
``commitInfo`` of an entry lists all files of the version, so that a reader opens one entry and no
checkpoints are needed. As in the tables of a base, small files are merged into larger ones, and
replaced files stay until a prune, so that a copy of the folder has all files that its log names.

Small means that all rows fit into memory: up to some millions.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from threading import Lock
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc
from cachetools import LRUCache
from deltalake import Schema

from provhouse.model.columns import WORKFLOW_TABLES
from provhouse.model.errors import Damaged
from provhouse.model.fault_points import reach
from provhouse.runtime.files import make_folder, sync_file, sync_folder, write_new
from provhouse.runtime.storage import FileMark, file_mark, parquet_reader

from ..warehouse.layout import SHARED, Layout
from ..warehouse.locks import check_lock
from .delta_tables import CONFIGURATION, first_to_merge, write_parquet

_LOG = "_delta_log"
_CACHED_BYTES = 64 << 20
"""The size of the rows that stay in memory after they were read."""


@dataclass(frozen=True)
class RegisteredTable:
    """The declaration of a table."""

    name: str
    title: str
    """The words for the table in messages."""
    schema: pa.Schema
    cleared: tuple[str, ...] = ()
    """The columns that may have keys or names of items. An erasure sets them to NULL."""


REVISIONS, EXECUTIONS, RESULTS, PROOFS = (
    RegisteredTable(name, f"table of {name}", WORKFLOW_TABLES[name])
    for name in ("revisions", "executions", "results", "proofs")
)
REGISTRY: tuple[RegisteredTable, ...] = (REVISIONS, EXECUTIONS, RESULTS, PROOFS)
"""All registered tables."""


@dataclass(frozen=True)
class DataFile:
    """A Parquet file of a table, as a log entry lists it."""

    path: Path
    rows: int
    bytes: int

    @property
    def number(self) -> int:
        """The version with which the last rows of the file were added. It orders the files."""
        return int(self.path.name.split("-")[0])

    @property
    def version(self) -> int:
        """The version for which the file was written."""
        return int(self.path.name.split("-")[1])


@dataclass(frozen=True)
class _State:
    version: int
    mark: FileMark
    """The mark of the log entry. It changes if the folder is deleted and made again."""
    files: tuple[DataFile, ...]


_Change = Callable[[pa.Table], pa.Table]
_states: dict[Path, _State] = {}
_rows: LRUCache[Path, pa.Table] = LRUCache(_CACHED_BYTES, getsizeof=lambda rows: rows.nbytes)
_lock = Lock()


def read(
    layout: Layout,
    table: RegisteredTable,
    columns: Sequence[str] | None = None,
    where: pc.Expression | None = None,
) -> pa.Table:
    """Return the rows of a table, or those for which ``where`` is true; none if it is missing.

    Raises Damaged if the table cannot be read.
    """
    while True:
        state = _state(layout, table)
        try:
            parts = [_read(table, file.path) for file in state.files] if state else []
            break
        except Damaged:
            if _state(layout, table) == state:  # else its files were replaced meanwhile
                raise
    rows = pa.concat_tables([table.schema.empty_table(), *parts])
    rows = rows if where is None else rows.filter(where)
    return rows.select([*columns]) if columns else rows


def append(layout: Layout, table: RegisteredTable, rows: pa.Table) -> None:
    """Add rows to a table. Raises Busy if another writer has taken this process's lock."""
    _change(layout, table, None, rows)


def replace(
    layout: Layout, table: RegisteredTable, where: pc.Expression, rows: pa.Table | None = None
) -> None:
    """Delete the rows for which ``where`` is true, and add rows, in one version.

    Raises Busy if another writer has taken this process's lock.
    """
    _change(layout, table, lambda old: old.filter(~where | where.is_null()), rows)


def clear(layout: Layout, table: RegisteredTable) -> None:
    """Set the columns of an erasure to NULL, and remove all files that had other values.

    Only the single writer may call this. Raises Busy if another writer has taken the lock.
    """
    if table.cleared:
        _change(layout, table, lambda old: _cleared(table, old))
        remove_replaced(layout, table)


def remove_replaced(layout: Layout, table: RegisteredTable) -> int:
    """Remove the files that the newest version no longer has; return the number of their bytes.

    Files of a version that another process is about to publish stay. Only the single writer may
    call this. Raises Busy if another writer has taken the lock.
    """
    state, freed = _state(layout, table), 0
    kept = {file.path for file in state.files} if state else set()
    for path in layout.registered(table.name).glob("*.parquet"):
        file = DataFile(path, 0, path.stat().st_size)
        if state and path not in kept and file.version <= state.version:
            check_lock(layout)
            path.unlink()
            reach("merged file removed")
            freed += file.bytes
    return freed


def files_of(layout: Layout, table: RegisteredTable) -> tuple[int, tuple[DataFile, ...]] | None:
    """Return the newest version of a table and its files; None if the table is missing.

    Raises Damaged if the newest log entry cannot be read.
    """
    state = _state(layout, table)
    return (state.version, state.files) if state else None


def read_file(table: RegisteredTable, path: Path) -> pa.Table:
    """Read one file of a table from disk, and verify its checksums; raise Damaged if it is bad."""
    try:
        with parquet_reader(path) as file:
            return file.read(table.schema.names).cast(table.schema)
    except (OSError, pa.ArrowException) as error:
        raise _damaged(table, path, str(error).splitlines()[0]) from error


def _read(table: RegisteredTable, path: Path) -> pa.Table:
    """Return the rows of a file from the cache. The content of a path never changes."""
    with _lock:
        rows = _rows.get(path)
    if rows is None:
        rows = read_file(table, path)
        if rows.nbytes <= _CACHED_BYTES:
            with _lock:
                _rows[path] = rows
    return rows


def _cleared(table: RegisteredTable, rows: pa.Table) -> pa.Table:
    for name in table.cleared:
        at = table.schema.get_field_index(name)
        rows = rows.set_column(at, name, pa.nulls(len(rows), table.schema.field(name).type))
    return rows


def _change(
    layout: Layout, table: RegisteredTable, change: _Change | None, rows: pa.Table | None = None
) -> None:
    """Publish the next version, in which each file is changed and the rows are added.

    Nothing is published if nothing changes.
    """
    new = table.schema.empty_table() if rows is None else rows.cast(table.schema)
    while True:
        state = _state(layout, table)
        version = state.version + 1 if state else 0
        old = state.files if state else ()
        removed, pieces = _difference(table, old, version, change, new)
        if not removed and not pieces:
            return
        folder = layout.registered(table.name)
        make_folder(folder / _LOG)
        added = [_written(folder, number, version, piece) for number, piece in pieces]
        sync_folder(folder)
        reach("registered rows written")
        files = sorted({*old} - {*removed} | {*added}, key=lambda file: file.path)
        if _publish(layout, table, version, removed, added, files):
            reach("registered rows published")
            return
        for file in added:
            file.path.unlink(missing_ok=True)


def _difference(
    table: RegisteredTable,
    files: Sequence[DataFile],
    version: int,
    change: _Change | None,
    new: pa.Table,
) -> tuple[list[DataFile], list[tuple[int, pa.Table]]]:
    """Return the files that a version no longer has, and the rows of its new files, by number."""
    first = len(files)
    if new.num_rows:
        numbers = [file.number for file in files]
        first = first_to_merge(numbers, [file.rows for file in files], version)
    removed, pieces = list(files[first:]), list[tuple[int, pa.Table]]()
    merged = [_read(table, file.path) for file in removed]
    if change:
        for file in files[:first]:
            old = _read(table, file.path)
            changed = change(old)
            if not changed.equals(old):
                removed.append(file)
                pieces += [(file.number, changed)] if changed.num_rows else []
        merged = [change(old) for old in merged]
    if new.num_rows:
        pieces.append((version, pa.concat_tables([*merged, new])))
    return removed, pieces


def _written(folder: Path, number: int, version: int, rows: pa.Table) -> DataFile:
    path = folder / f"{number:08d}-{version:08d}-{token_hex(4)}.parquet"
    write_parquet(rows, path)
    sync_file(path)
    return DataFile(path, rows.num_rows, path.stat().st_size)


def _log(folder: Path, version: int) -> Path:
    return folder / _LOG / f"{version:020d}.json"


def _publish(
    layout: Layout,
    table: RegisteredTable,
    version: int,
    removed: Sequence[DataFile],
    added: Sequence[DataFile],
    files: Sequence[DataFile],
) -> bool:
    """Write the log entry of a version; return False if another process has published it."""
    now = int(time.time() * 1000)
    listed = [[file.path.name, file.rows, file.bytes] for file in files]
    entry = [] if version else _creation(table, now)
    entry += [{"remove": _logged(file, deletionTimestamp=now)} for file in removed]
    entry += [{"add": _add(file, now)} for file in added]
    info = {"timestamp": now, "operation": "WRITE", "files": listed}
    entry.append({"commitInfo": info})  # last, so that an entry that was cut off lacks it
    content = "".join(f"{json.dumps(action)}\n" for action in entry).encode()
    path = _log(layout.registered(table.name), version)
    return write_new(path, content, mode=SHARED, before=lambda: check_lock(layout))


def _creation(table: RegisteredTable, now: int) -> list[dict[str, Any]]:
    form = {"provider": "parquet", "options": {}}
    return [
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
        {
            "metaData": {
                "id": str(uuid4()),
                "format": form,
                "schemaString": Schema.from_arrow(table.schema).to_json(),
                "partitionColumns": [],
                "configuration": CONFIGURATION,
                "createdTime": now,
            }
        },
    ]


def _logged(file: DataFile, **more: object) -> dict[str, Any]:
    return {"path": file.path.name, "size": file.bytes, "dataChange": True, **more}


def _add(file: DataFile, now: int) -> dict[str, Any]:
    stats = json.dumps({"numRecords": file.rows})
    return _logged(file, partitionValues={}, modificationTime=now, stats=stats)


def _state(layout: Layout, table: RegisteredTable) -> _State | None:
    """Return the newest version of a table, or None if the table is missing.

    Raises Damaged if the log entry of this version cannot be read.
    """
    folder = layout.registered(table.name)
    with _lock:
        known = _states.get(folder)
    version = known.version if known else -1
    if known is None or file_mark(_log(folder, version)) != known.mark:
        version = _newest(folder)
        known = None
    while _log(folder, version + 1).exists():
        version, known = version + 1, None
    if known is None and version >= 0:
        known = _opened(table, folder, version)
        with _lock:
            _states[folder] = known
    return known


def _newest(folder: Path) -> int:
    """Return the newest version in the log of a folder, or -1."""
    return max((int(log.stem) for log in (folder / _LOG).glob("[0-9]*.json")), default=-1)


def _opened(table: RegisteredTable, folder: Path, version: int) -> _State:
    path = _log(folder, version)
    mark = file_mark(path)
    try:
        info = json.loads(path.read_text(encoding="utf-8").splitlines()[-1])["commitInfo"]
        files = tuple(DataFile(folder / name, rows, size) for name, rows, size in info["files"])
    except (OSError, ValueError, TypeError, KeyError, IndexError) as error:
        raise _damaged(table, path, repr(error)) from error
    return _State(version, mark, files)


def _damaged(table: RegisteredTable, path: Path, found: str) -> Damaged:
    folder = path.parent.parent if path.parent.name == _LOG else path.parent
    return Damaged(
        f"Cannot read the {table.title} {path}",
        f"Reading it fails: {found}",
        f"Restore the folder {folder} from a backup",
    )
