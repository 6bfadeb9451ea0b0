"""The registered tables: Delta tables that belong to the warehouse, not to a base or generation.

Each table is declared once, in ``REGISTRY``, and is used only through this module:

- ``append(layout, table, rows)`` adds rows.
- ``replace(layout, table, where, rows)`` deletes the rows for which an expression is true, and adds
  rows, in one version.
- ``read(layout, table, columns, where)`` returns the rows in the order in which they were added.
- ``clear(layout, table)`` does the table's part of an erasure, and ``remove_replaced(layout,
  table)`` does its part of a prune. A check compares ``state_of(layout, table)`` with
  ``read_file(table, path)``.

**Visibility.** A table has a single state: its newest Delta version. No rollback, compaction or
prune changes this state, and no commit record names it. Rows are visible as soon as their version
is published, which is before the commit record of their ingest is written. Therefore rows must
either be harmless without this ingest, like the number of a file, or record the generation that was
current when they were added, like captured writes.

**Atomicity.** A version is published by linking its log entry after its data are on disk. A killed
writer leaves at most files that belong to no version. A process never overwrites a version that
another process has published meanwhile: it repeats its change on top of that version. Therefore
processes without the writer's lock may append and replace too. A process that has the writer's lock
checks, before it publishes, that its lock still exists.

**Form.** A table is in the folder ``tables/NAME``. Its log contains no values of rows. As in the
tables of a base, small files are merged into larger ones, and replaced files are kept until a
prune, so that a copy of the folder contains all files that its log names. A table fits into memory:
it has at most a few million rows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from secrets import token_hex
from threading import Lock

import pyarrow as pa
import pyarrow.compute as pc
from cachetools import LRUCache

from provhouse.model.columns import WORKFLOW_TABLES
from provhouse.model.errors import Damaged
from provhouse.model.fault_points import reach
from provhouse.runtime.files import make_folder, sync_file, sync_folder
from provhouse.runtime.storage import parquet_reader

from ..warehouse.layout import Layout
from ..warehouse.locks import check_lock
from .delta_log import LOG, DataFile, TableState, damaged, newest_state, publish
from .delta_tables import first_to_merge, write_parquet
from .earlier_forms import earlier_files, has_earlier, record_rows, remove_earlier

_CACHED_BYTES = 64 << 20
"""The maximum size in bytes of the rows that stay in memory after they were read."""


@dataclass(frozen=True)
class RegisteredTable:
    """The declaration of a table."""

    name: str
    title: str
    """The name of the table in messages."""
    schema: pa.Schema
    cleared: tuple[str, ...] = ()
    """The columns that may contain keys or names of items. An erasure sets them to NULL."""
    earlier: bool = False
    """Whether releases up to format 7 stored the rows in the warehouse's folder ``NAME``."""


_TEXTS, _NUMBERS = pa.list_(pa.string()), pa.list_(pa.int64())
FILES = RegisteredTable(
    "files",
    "table of files",
    pa.schema([("number", pa.int64()), ("path", pa.string())]),
    earlier=True,
)
WRITTEN = RegisteredTable(
    "written",
    "table of captured writes",
    pa.schema(
        [
            ("table", pa.string()),
            ("version", pa.int64()),
            ("key", _TEXTS),
            ("files", _NUMBERS),
            ("run", pa.string()),
            ("columns", pa.string()),  # a JSON object
            ("path", pa.string()),
            ("replaces", pa.bool_()),
            ("bare", pa.int64()),
            ("after", pa.int64()),
            (
                "tracking",
                pa.struct(
                    [("column", pa.string()), ("commits", _NUMBERS), ("first_rows", _NUMBERS)]
                ),
            ),
            ("stored", _TEXTS),
            ("states", pa.list_(_NUMBERS)),
        ]
    ),
    earlier=True,
)
SAMPLES = RegisteredTable(
    "samples",
    "table of sampled writes",
    pa.schema(
        [
            ("table", pa.string()),
            ("version", pa.int64()),
            ("part", pa.float64()),
            ("reads", _TEXTS),
            ("after", pa.int64()),
        ]
    ),
    earlier=True,
)
PINS = RegisteredTable(
    "pins",
    "table of pinned files",
    pa.schema(
        [
            ("table", pa.string()),
            ("key", _TEXTS),
            ("path", pa.string()),
            ("bytes", pa.int64()),
            ("changed", pa.int64()),
            ("low", pa.int64()),
            ("high", pa.int64()),
        ]
    ),
    cleared=("low", "high"),  # the ends of a range are keys of items
    earlier=True,
)
UNCAPTURED = RegisteredTable(
    "uncaptured",
    "table of uncaptured writes",
    pa.schema([(name, pa.string()) for name in ("table", "run", "written", "reason")]),
    earlier=True,
)
REVISIONS, EXECUTIONS, RESULTS, PROOFS = (
    RegisteredTable(name, f"table of {name}", WORKFLOW_TABLES[name])
    for name in ("revisions", "executions", "results", "proofs")
)
OPENLINEAGE = RegisteredTable(
    "openlineage",
    "table of jobs from events of OpenLineage",
    pa.schema(
        [(name, pa.string()) for name in ("job", "namespace", "name", "integration")]
        + [(name, pa.string()) for name in ("run", "state", "time", "inputs", "outputs")]
    ),
)
KEPT = RegisteredTable(
    "kept",
    "table of copied rows",
    pa.schema([("file", pa.int64()), ("starts", _NUMBERS), ("versions", _NUMBERS)]),
)
ENDED = RegisteredTable(
    "ended",
    "table of deleted rows",
    pa.schema([("version", pa.int64()), ("after", pa.int64()), ("names", _NUMBERS)]),
    cleared=("names",),
)
REGISTRY = (
    FILES, WRITTEN, SAMPLES, PINS, UNCAPTURED, REVISIONS, EXECUTIONS, RESULTS, PROOFS, OPENLINEAGE,
    KEPT, ENDED,
)  # fmt: skip
"""All registered tables."""


_Change = Callable[[pa.Table], pa.Table]
_Pieces = list[tuple[int, pa.Table]]
"""The rows of new files, each with the number of the file."""
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
        state = state_of(layout, table)
        try:
            parts = [_read(table, state, file) for file in state.files]
        except Damaged:
            if state_of(layout, table) == state:  # else its files were replaced meanwhile
                raise
            continue
        if state.version >= 0 or state_of(layout, table) == state:
            break
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
    """Set the columns ``cleared`` to NULL, and remove all files that contained other values.

    Only the single writer may call this, and no other process may change a table with such columns.
    Raises Busy if another writer has taken the lock.
    """
    if table.cleared:
        _change(layout, table, lambda old: _cleared(table, old))
        _remove(
            layout, table, state_of(layout, table).version + 1
        )  # also what a killed writer left
        remove_earlier_form(layout, table)


def remove_replaced(layout: Layout, table: RegisteredTable) -> int:
    """Remove the files that are not in the newest version; return the number of their bytes.

    Files of a version that another process is about to publish are kept. Only the single writer may
    call this. Raises Busy if another writer has taken the lock.
    """
    return _remove(layout, table, state_of(layout, table).version)


def _remove(layout: Layout, table: RegisteredTable, last: int) -> int:
    """Remove files of versions up to ``last``, unless they are part of the newest version."""
    kept, freed = {file.path for file in state_of(layout, table).files}, 0
    for path in layout.registered(table.name).glob("*.parquet"):
        file = DataFile(path, 0, path.stat().st_size)
        if path not in kept and file.version <= last:
            check_lock(layout)
            path.unlink()
            reach("merged file removed")
            freed += file.bytes
    return freed


def remove_earlier_form(layout: Layout, table: RegisteredTable) -> None:
    """Remove the earlier form of a table after its rows were copied.

    Only the single writer may call this. Raises Busy if another writer has taken the lock.
    """
    if table.earlier and has_earlier(layout, table.name) and state_of(layout, table).version >= 0:
        remove_earlier(layout, table.name)


def state_of(layout: Layout, table: RegisteredTable) -> TableState:
    """Return the newest version of a table and its files, or those of its earlier form.

    Raises Damaged if the newest log entry cannot be read.
    """
    newest = newest_state(layout.registered(table.name), table.title)
    if newest:
        return newest
    earlier = earlier_files(layout, table.name) if table.earlier else []
    return TableState(-1, None, tuple(DataFile(path, 0, 0) for path in earlier))


def read_file(table: RegisteredTable, path: Path) -> pa.Table:
    """Read one file of a table from disk, and verify its checksums; raise Damaged if it is bad."""
    try:
        if path.suffix == ".json":
            return record_rows(path, table.schema)
        with parquet_reader(path) as file:
            return file.read(table.schema.names).cast(table.schema)
    except (OSError, pa.ArrowException, ValueError, TypeError, KeyError, AttributeError) as error:
        raise damaged(path, table.title, error) from error


def _read(table: RegisteredTable, state: TableState, file: DataFile) -> pa.Table:
    """Return the rows of a file, from the cache if possible.

    The content of a path never changes, except for an earlier form of a table.
    """
    if state.version < 0:
        return read_file(table, file.path)
    with _lock:
        rows = _rows.get(file.path)
    if rows is None:
        rows = read_file(table, file.path)
        if rows.nbytes <= _CACHED_BYTES:
            with _lock:
                _rows[file.path] = rows
    return rows


def _cleared(table: RegisteredTable, rows: pa.Table) -> pa.Table:
    for name in table.cleared:
        at = table.schema.get_field_index(name)
        rows = rows.set_column(at, name, pa.nulls(len(rows), table.schema.field(name).type))
    return rows


def _change(
    layout: Layout, table: RegisteredTable, change: _Change | None, rows: pa.Table | None = None
) -> None:
    """Publish the next version, which applies ``change`` to each file and adds the rows.

    Nothing is published if nothing changes.
    """
    new = table.schema.empty_table() if rows is None else rows.cast(table.schema)
    while True:
        state = state_of(layout, table)
        try:
            removed, pieces = (_first if state.version < 0 else _next)(table, state, change, new)
        except Damaged:
            if state_of(layout, table) == state:  # else its files were replaced meanwhile
                raise
            continue
        if not removed and not pieces:
            return
        if _publish(layout, table, state, removed, pieces):
            return


def _publish(
    layout: Layout,
    table: RegisteredTable,
    state: TableState,
    removed: Sequence[DataFile],
    pieces: _Pieces,
) -> bool:
    """Write files and log entry of the version after ``state``; return False if it exists."""
    folder, version = layout.registered(table.name), state.version + 1
    make_folder(folder / LOG)
    added = [_written(folder, number, version, piece) for number, piece in pieces]
    sync_folder(folder)
    reach("registered rows written")
    left = {*state.files} - {*removed} if version else set()
    files = sorted(left | {*added}, key=lambda file: file.path)
    if publish(folder, table.schema, version, removed, added, files, partial(check_lock, layout)):
        reach("registered rows published")
        return True
    for file in added:
        file.path.unlink(missing_ok=True)
    return False


def _first(
    table: RegisteredTable, state: TableState, change: _Change | None, new: pa.Table
) -> tuple[list[DataFile], _Pieces]:
    """Return the rows of the first version: the changed rows of the earlier form, and the new rows.

    Nothing is returned if the earlier form does not need to change.
    """
    old = pa.concat_tables(
        [table.schema.empty_table(), *(_read(table, state, file) for file in state.files)]
    )
    changed = change(old) if change else old
    if not new.num_rows and changed.equals(old):
        return [], []
    return [], [(0, pa.concat_tables([changed, new]))]


def _next(
    table: RegisteredTable, state: TableState, change: _Change | None, new: pa.Table
) -> tuple[list[DataFile], _Pieces]:
    """Return the files that are not in the next version, and the rows of its new files."""
    files, first = state.files, len(state.files)
    if new.num_rows:
        numbers = [file.number for file in files]
        first = first_to_merge(numbers, [file.rows for file in files], state.version + 1)
    removed, pieces = list(files[first:]), _Pieces()
    merged = [_read(table, state, file) for file in removed]
    if change:
        for file in files[:first]:
            old = _read(table, state, file)
            changed = change(old)
            if not changed.equals(old):
                removed.append(file)
                pieces += [(file.number, changed)] if changed.num_rows else []
        merged = [change(old) for old in merged]
    if new.num_rows:
        pieces.append((state.version + 1, pa.concat_tables([*merged, new])))
    return removed, pieces


def _written(folder: Path, number: int, version: int, rows: pa.Table) -> DataFile:
    path = folder / f"{number:08d}-{version:08d}-{token_hex(4)}.parquet"
    write_parquet(rows, path)
    sync_file(path)
    return DataFile(path, rows.num_rows, path.stat().st_size)
