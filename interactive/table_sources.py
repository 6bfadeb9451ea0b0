"""Files and data frames that become tables, and a check whether a file has changed since then."""

import os
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Any

import pyarrow as pa

from provhouse.model.errors import NotFound, UsageError

READERS = {
    ".parquet": "read_parquet", ".csv": "read_csv", ".csv.gz": "read_csv", ".json": "read_json",
    ".jsonl": "read_json",
}  # fmt: skip
"""The DuckDB function that reads a file, by the extension of the file's name."""
DATABASES = (".duckdb", ".ddb", ".db")
FileVersion = tuple[tuple[int, int, int], ...]
"""The inode, modification time and size of each file."""


@dataclass(frozen=True)
class ReadSource:
    """A file, or a pattern of files, in the state in which it was read."""

    path: str
    version: FileVersion
    reader: str = ""
    """The function of DuckDB that has read the file without options; empty with options."""

    @classmethod
    def of(cls, path: str | Path, reader: str = "") -> "ReadSource":
        """Return a file in its current state. Raises NotFound if it is missing."""
        found = cls(str(path), _version(str(path)), reader)
        if not found.version and "://" not in found.path:
            raise NotFound(f"There is no file {path}", "", "Check the path")
        return found

    @property
    def changed(self) -> bool:
        """Whether a file has changed, appeared or disappeared since it was read."""
        return _version(self.path) != self.version


def _version(path: str) -> FileVersion:
    """Return values that change when the files change; none for a URL, which is not checked."""
    states = map(os.stat, sorted(glob(path)))
    return tuple((each.st_ino, each.st_mtime_ns, each.st_size) for each in states)


def ending(path: str | Path) -> str | None:
    """Return the extension of a file, or None if such files cannot be read."""
    return next((each for each in READERS if str(path).lower().endswith(each)), None)


def reader(path: str | Path) -> str:
    """Return DuckDB's function that reads a file. Raises UsageError for other extensions."""
    if (found := ending(path)) is None:
        raise UsageError(
            f"Cannot read {path}",
            f"Lineage is supported for files that end in {', '.join(READERS)}",
            "Convert the file, or load it with execute()",
        )
    return READERS[found]


def check_database(path: Path) -> None:
    """Raise UsageError unless ``path`` is a file or has the extension of a new database."""
    if path.exists() or ":" in str(path) or path.suffix.lower() in DATABASES:
        return  # a path with a colon is in memory or elsewhere
    raise UsageError(
        f"There is no file {path}",
        f"The name of a new DuckDB database ends in {', '.join(DATABASES)}",
        "Check the path",
    )


def to_arrow(data: Any) -> pa.Table:
    """Return Arrow, pandas or polars data as an Arrow table.

    The index of a pandas data frame is left out unless it has a name. Raises UsageError for data of
    another type.
    """
    if hasattr(data, "collect") and not hasattr(data, "__arrow_c_stream__"):
        raise UsageError(
            f"Cannot make a table of {type(data).__name__}",
            "It is a query that has not run yet",
            "Run it: register(name, frame.collect())",
        )
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if not isinstance(data, pa.Table) and not hasattr(data, "__arrow_c_stream__"):
        raise UsageError(
            f"Cannot make a table of {type(data).__name__}",
            "",
            "Give the path of a file, or an Arrow, pandas or polars table",
        )
    try:
        table = data if isinstance(data, pa.Table) else pa.table(data)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise UsageError(
            f"Cannot make a table of this {type(data).__name__}",
            str(error.args[0]).splitlines()[0],
            "Give each column values of one type",
        ) from error
    unnamed = [name for name in table.column_names if name.startswith("__index_level_")]
    return table.drop_columns(unnamed)
