"""Check that the files of registered tables are complete, and that Delta reads the same files."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from provhouse.model.errors import Damaged
from provhouse.runtime.packages import Deferred
from provhouse.store.tables.delta_log import TableState
from provhouse.store.tables.registry import RegisteredTable, read_file, state_of
from provhouse.store.warehouse.layout import Layout

from .damage_report import RESTORE_FOLDER, Damage

if TYPE_CHECKING:
    import deltalake
else:
    deltalake = Deferred("deltalake")


def registered_damages(layout: Layout, table: RegisteredTable) -> Iterator[Damage]:
    """Yield a `Damage` for each file of a table that is missing, unreadable or has wrong rows.

    Also yields one if other programs would not find these files in the log. Raises Damaged if the
    newest log entry is unreadable.
    """
    state = state_of(layout, table)
    found = [*_file_damages(table, state)]
    if state.version >= 0:
        found += _log_damages(layout.registered(table.name), table, state)
    if found and state_of(layout, table) != state:  # a writer has changed the table meanwhile
        yield from registered_damages(layout, table)
    else:
        yield from found


def _file_damages(table: RegisteredTable, state: TableState) -> Iterator[Damage]:
    for file in state.files:
        try:
            rows = read_file(table, file.path).num_rows
        except Damaged as error:
            yield Damage(table.title, error.wanted, error.found, error.remedy)
            continue
        if state.version >= 0 and rows != file.rows:
            wanted = f"{file.path} should have {file.rows:,} rows"
            yield Damage(table.title, wanted, f"It has {rows:,}", RESTORE_FOLDER)


def _log_damages(folder: Path, table: RegisteredTable, state: TableState) -> Iterator[Damage]:
    try:
        uris = deltalake.DeltaTable(folder, version=state.version).file_uris()
        names = {Path(uri).name for uri in uris}
        found = "" if names == {file.path.name for file in state.files} else "It names other files"
    except Exception as error:  # a broken log may raise anything
        found = str(error).splitlines()[0]
    if found:
        wanted = f"The log of the {table.title} in {folder} is damaged"
        yield Damage(table.title, wanted, found, RESTORE_FOLDER)
