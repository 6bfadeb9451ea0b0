"""Sources without row numbers. A tap has written the declared key of each row."""

from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64, unique
from provhouse.model.associations import ROW_BITS
from provhouse.model.errors import BadInput

from .renamed import FileState
from .row_keys import fewer_values
from .tap_files import read_keys_tap
from .unchanged import check_unchanged


@dataclass(frozen=True)
class KeyedSource:
    """A scan of a source without row numbers, such as CSV files or a table of another database."""

    number: int
    """The first of the scan's numbers in row ids. The scan has a number for each partition."""
    partitions: int
    table: str
    key: tuple[str, ...]
    tap: Path
    files: tuple[Path, ...]
    """The files of the source. The tap records each row's file as a position in this tuple."""
    states: tuple[tuple[int, int], ...]
    """The size of each file in bytes, and the time of its last change, in milliseconds."""
    place: Path | None
    """A path that represents a table of another database, which does not have files."""
    cached: bool
    """Whether the rows come from a cached frame."""
    unit: str = ""
    """For an RDD: whether its rows are ``lines`` or ``records``."""
    root: Path | None = None
    """The path that the program reads; None for a table of another database."""

    @property
    def file_states(self) -> list[FileState]:
        """The path, size and time of each file of the source when the job read it."""
        states = zip(self.files, self.states, strict=True)
        return [FileState(path, *state) for path, state in states]

    def check_unchanged(self, paths: Container[Path]) -> None:
        """Raise BadInput if one of the files ``paths`` has changed since the job read it."""
        for path, (size, changed) in zip(self.files, self.states, strict=True):
            if path in paths:
                check_unchanged(path, size, changed)


@dataclass(frozen=True)
class ScannedKeys:
    """The keys of all rows that a scan read, in ascending order of the row ids."""

    ids: I64
    keys: pa.Array
    files: I64
    """The position of each row's file in ``KeyedSource.files``, or 0 if there are no files."""


def source_keys(source: KeyedSource) -> ScannedKeys:
    """Return the keys of a source.

    Raises BadInput if a key is NULL or not unique, or if Spark read the source twice and found
    different rows.
    """
    ids, files, keys = read_keys_tap(source.tap)
    columns = [pa.array(ids), pa.array(files), keys]
    distinct = pa.table(columns, ["id", "file", "key"]).group_by(["id", "file", "key"])
    rows = distinct.aggregate([]).combine_chunks()
    found = np.asarray(rows["id"])
    if len(unique(found)) != len(found):
        raise BadInput(
            f"The rows of {source.table} changed while the job ran",
            "Spark read them twice, with different results",
            "Run the job again; sources must not change until the block has ended",
        )
    rows = rows.take(pa.array(np.argsort(found)))
    texts = rows["key"].combine_chunks()
    check_texts(source.table, source.key, texts)
    return ScannedKeys(np.asarray(rows["id"]), texts, np.asarray(rows["file"]) >> ROW_BITS)


def check_texts(table: str, key: tuple[str, ...], keys: pa.Array) -> None:
    """Raise BadInput if a key of a table's rows is NULL or not unique."""
    by = ", ".join(key)
    if keys.null_count:
        raise BadInput(
            f"The key of {table} is NULL in {keys.null_count:,} of its rows",
            f"The declared key is {by}",
            "Declare another key",
        )
    values = int(pc.count_distinct(keys).as_py())
    if values != len(keys):
        raise BadInput(
            f"The key of {table} is not unique",
            fewer_values(len(keys), values, key),
            "Declare all columns of the key, as in keys={'table': ['a', 'b']}",
        )
