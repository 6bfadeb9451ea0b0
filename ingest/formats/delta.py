"""Delta tables: the Parquet files of the current version, and what the log says of each."""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
from deltalake import DeltaTable

from provhouse.model.attributes import canonical
from provhouse.model.errors import BadInput

from .source import Source

LOG = "_delta_log"


def table_of(file: Path) -> Path | None:
    """The Delta table that a file lies in, if any."""
    return next((folder for folder in file.parents if (folder / LOG).is_dir()), None)


def tables_files(folder: Path) -> Iterator[Source]:
    """The files of a table's current version; values of partition columns go along as text.

    Raises BadInput for a log that can't be read or that says what Parquet files alone don't tell.
    """
    try:
        table = DeltaTable(folder)
        actions = pa.table(table.get_add_actions())
        _check(table, folder)
    except BadInput:
        raise
    except Exception as error:  # what its Rust core raises has no type of its own
        raise BadInput(
            f"{folder} should be a Delta table",
            f"Its log cannot be read: {next(iter(str(error).splitlines()), 'no reason is given')}",
            "Nothing was taken in; mend the table, or copy its files elsewhere to read them alone",
        ) from error
    for path, constants in sorted(zip(_paths(folder, actions), _constants(actions), strict=True)):
        yield Source(path, "parquet", constants=constants)


def _check(table: DeltaTable, folder: Path) -> None:
    """Raise BadInput for tables whose files hold deleted rows or columns of other names."""
    mode = table.metadata().configuration.get("delta.columnMapping.mode", "none")
    if mode != "none":
        found = f"Its columns are renamed by its log (columnMapping {mode})"
    elif any(batch.num_rows for batch in table.deletion_vectors()):
        found = "Some of its rows are deleted by its log only (deletion vectors)"
    else:
        return
    raise BadInput(
        f"The files of {folder} should hold what the table holds",
        found,
        "Write it anew as a plain table or as Parquet, and name that",
    )


def _paths(folder: Path, actions: pa.Table) -> Iterator[str]:
    for path in actions["path"].to_pylist():
        name = unquote(path.removeprefix("file://"))
        if "\0" in name:
            raise BadInput(
                f"{folder} should be a Delta table",
                f"Its log names a file that no system can hold: {name!r}",
                "Nothing was taken in; mend the table",
            )
        yield str(folder / name)


def _constants(actions: pa.Table) -> Iterator[tuple[tuple[str, str], ...]]:
    if "partition" not in actions.column_names:
        yield from [()] * actions.num_rows
        return
    values = pa.Table.from_struct_array(actions["partition"])
    for text in canonical(values).to_pylist():
        yield tuple(json.loads(text or "{}").items())
