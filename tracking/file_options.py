"""The names of files as tables, and the options of readers that would move their rows."""

from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from provhouse.model.errors import UsageError

from .refusals import untracked


def check_options(
    op: str, key: str | None, given: Iterable[str], unreadable: Sequence[str], moving: Sequence[str]
) -> None:
    """Raise NotTracked for options that a reader must not have.

    ``moving`` options leave rows of a file out, so that positions are no longer those in the file;
    they are accepted if a key names the rows.
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
    """Return the name of a file without its ending. Raises UsageError for an open file."""
    if not isinstance(path, str | PathLike):
        raise UsageError("The file has no name", "", "Name the table, as in table='orders'")
    return Path(path).name.split(".")[0]
