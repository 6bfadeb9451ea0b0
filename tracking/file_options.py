"""The table names of files, and the reader options that would shift the positions of rows."""

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from provhouse.model.errors import UsageError

from .refusals import untracked


def check_options(
    op: str, key: str | None, given: Iterable[str], unreadable: Sequence[str], moving: Sequence[str]
) -> None:
    """Raise NotTracked for unsupported options of a reader.

    ``moving`` options skip rows of a file, so that the rows' positions differ from those in the
    file. They are accepted if a key names the rows.
    """
    for name in given:
        if name in unreadable:
            raise untracked(f"{op} with {name}=", "", f"Leave {name} out")
        if name in moving and key is None:
            raise untracked(
                f"{op} with {name}=",
                "Rows would no longer have their positions in the file",
                "Name a column that identifies the rows: key='id'",
            )


def file_table(path: Any) -> str:
    """Return the name of a file without its extension. Raises UsageError for a file object."""
    if not isinstance(path, str | PathLike):
        raise UsageError("The file has no name", "", "Name the table, as in table='orders'")
    return Path(path).name.split(".")[0]
