"""Find the files of a Delta table's current version, and the partition values in its log."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pyarrow as pa

from provhouse.model.attributes import canonical
from provhouse.model.errors import BadInput
from provhouse.runtime.packages import Deferred

from .source import Source

if TYPE_CHECKING:
    import deltalake
else:
    deltalake = Deferred("deltalake")


LOG = "_delta_log"


def table_of(file: Path) -> Path | None:
    """Return the folder of the Delta table that contains a file, or None."""
    return next((folder for folder in file.parents if (folder / LOG).is_dir()), None)


def tables_files(folder: Path) -> Iterator[Source]:
    """Yield the files of a Delta table's current version, with the values of partition columns.

    Raises BadInput if the log is unreadable, or if the files do not contain exactly the table's
    rows.
    """
    try:
        table = deltalake.DeltaTable(folder)
        actions = pa.table(table.get_add_actions())
        _check(table, folder)
    except BadInput:
        raise
    except Exception as error:  # the Rust core of deltalake raises errors of no specific type
        raise BadInput(
            f"Cannot read the Delta table {folder}",
            f"Its log is not readable: {next(iter(str(error).splitlines()), 'no reason is given')}",
            "Nothing was ingested; repair the table, or ingest a copy of its Parquet files",
        ) from error
    for path, constants in sorted(zip(_paths(folder, actions), _constants(actions), strict=True)):
        yield Source(path, "parquet", constants=constants)


def _check(table: "deltalake.DeltaTable", folder: Path) -> None:
    """Raise BadInput if the log deletes rows, or renames columns, that the files still contain."""
    mode = table.metadata().configuration.get("delta.columnMapping.mode", "none")
    if mode != "none":
        found = f"Columns are renamed in its log only (columnMapping {mode})"
    elif any(batch.num_rows for batch in table.deletion_vectors()):
        found = "Rows are deleted in its log only (deletion vectors)"
    else:
        return
    raise BadInput(
        f"The files of the Delta table {folder} do not contain exactly its rows",
        found,
        "Rewrite it as a plain table or as Parquet, and ingest the copy",
    )


def _paths(folder: Path, actions: pa.Table) -> Iterator[str]:
    for path in actions["path"].to_pylist():
        name = unquote(path.removeprefix("file://"))
        if "\0" in name:
            raise BadInput(
                f"Cannot read the Delta table {folder}",
                f"Its log has an impossible file name: {name!r}",
                "Nothing was ingested; repair the table",
            )
        yield str(folder / name)


def _constants(actions: pa.Table) -> Iterator[tuple[tuple[str, str], ...]]:
    if "partition" not in actions.column_names:
        yield from [()] * actions.num_rows
        return
    values = pa.Table.from_struct_array(actions["partition"])
    for text in canonical(values).to_pylist():
        yield tuple(json.loads(text or "{}").items())
