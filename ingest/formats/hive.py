"""Read columns from the names of a Parquet file's folders, which Hive and Spark name so."""

from pathlib import Path
from urllib.parse import unquote

NULL = "__HIVE_DEFAULT_PARTITION__"
"""The value that stands for null in a folder's name."""


def partition_columns(file: Path) -> tuple[tuple[str, str | None], ...]:
    """Return the column and value of each folder named ``COLUMN=VALUE`` in a file's path.

    If several folders have the same column, the innermost counts.
    """
    found: dict[str, str | None] = {}
    for folder in file.parts[:-1]:
        column, equals, value = folder.partition("=")
        if column and equals:
            found[unquote(column)] = None if value == NULL else unquote(value)
    return tuple(found.items())
