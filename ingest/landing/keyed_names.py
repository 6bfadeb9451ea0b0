"""Name source rows that have no row numbers. Captured writes may have made these rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.capturing.reading.keyed import KeyedSource, ScannedKeys, source_keys
from provhouse.capturing.reading.keyed_output import KeyedOutput
from provhouse.capturing.reading.known import Known
from provhouse.capturing.reading.row_names import keyed_items
from provhouse.model.arrays import I64
from provhouse.model.errors import BadInput, UsageError
from provhouse.store.tables.written import Written


@dataclass(frozen=True)
class Fresh:
    """The writes of the same block in formats without row numbers, by the version of their rows."""

    outputs: Mapping[int, KeyedOutput]

    def has(self, version: int, keys: pa.Array) -> npt.NDArray[np.bool_]:
        """Return, for each of ``keys``, whether the write with ``version`` has a row with it."""
        output = self.outputs.get(version)
        if output is None:
            return np.zeros(len(keys), bool)
        return np.asarray(pc.is_in(keys, output.names))

    def since(self, version: int, write: int) -> bool:
        """Return whether ``version`` belongs to the block's write number ``write`` or later."""
        output = self.outputs.get(version)
        return output is not None and output.write.number >= write


class KeyedNames:
    """Name the rows of one scan: ``table/key@version`` for captured writes, else ``table/key``.

    The file of a row determines which write made the row. The rows of a table in another database
    have no files. Each of them is assumed to come from the newest earlier write that has a row with
    the same key.
    """

    def __init__(self, scan: KeyedSource, write: int, known: Known, fresh: Fresh) -> None:
        """Name the rows of a scan; ``write`` is the number of the scan's write in its block."""
        self._scan, self._write, self._known, self._fresh = scan, write, known, fresh

    def includes(self, number: int) -> bool:
        """Return whether a file number from a row id belongs to this scan."""
        return self._scan.number <= number < self._scan.number + self._scan.partitions

    def items(self, ids: I64) -> tuple[str, pa.Array]:
        """Return the table of the scan, and the names of the rows with ``ids``."""
        at = np.searchsorted(self._rows.ids, ids)
        suffixes, of = self._versions
        keys = self._rows.keys.take(pa.array(at))
        return self._table, keyed_items(self._table, keys, suffixes, of[at])

    @cached_property
    def _rows(self) -> ScannedKeys:
        return source_keys(self._scan)

    @cached_property
    def _writes(self) -> Sequence[Written | None]:
        """The write that made each file, or None for a file that no captured write made.

        For a table of another database, all earlier writes to this table are listed.
        """
        if self._scan.files:
            return self._known.writes(self._scan.file_states)
        found = self._known.at(self._scan.place) if self._scan.place else []
        return [each for each in found if not self._fresh.since(each.version, self._write)]

    @cached_property
    def _table(self) -> str:
        return next((write.table for write in self._writes if write), self._scan.table)

    @cached_property
    def _versions(self) -> tuple[pa.Array, I64]:
        """The distinct suffixes of names, and the position of each scanned row's suffix in them."""
        suffixes = [write.suffix if write else "" for write in self._writes]
        if self._scan.files:
            return pa.array(suffixes, pa.string()), self._rows.files
        of = np.full(len(self._rows.ids), len(suffixes), np.int64)
        for number, write in enumerate(self._writes):
            left = np.flatnonzero(of == len(suffixes))
            if write and len(left):
                of[left[self._has(write, left)]] = number
        return pa.array([*suffixes, ""], pa.string()), of

    def _has(self, write: Written, rows: I64) -> npt.NDArray[np.bool_]:
        """Return, for each of ``rows``, whether ``write`` has made a row with the same key."""
        keys = self._rows.keys.take(pa.array(rows))
        same = np.zeros(len(rows), np.int64)
        names = keyed_items(write.table, keys, pa.array([write.suffix]), same)
        return self._fresh.has(write.version, keys) | self._known.has_items(names)

    def check(self) -> None:
        """Raise an error if rows of captured writes cannot be found again by their keys.

        Raises BadInput if a key is NULL or not unique, or if the write has no row with this key.
        Raises UsageError if the declared key is not the key that the write was captured with.
        """
        rows = self._rows
        for number, write in enumerate(self._writes):
            if write is None:
                continue
            self._check_write(write)
            if self._scan.files and not write.bare:
                self._check_rows(write, np.flatnonzero(rows.files == number))

    def _check_write(self, write: Written) -> None:
        scan = self._scan
        if write.table != self._table or (None in self._writes and self._table != scan.table):
            raise UsageError(
                f"The rows of {scan.table} belong to several tables",
                f"Captured jobs wrote some of them as {write.table}",
                "Read the tables separately",
            )
        if not write.key:
            raise UsageError(
                f"The rows of {scan.table} cannot be found by the declared key",
                "An RDD of a captured job wrote them, so they are named by their positions",
                "Read them with run.context, or write the table as a data frame with a key",
            )
        if write.key != scan.key:
            raise UsageError(
                f"The rows of {scan.table} do not have the declared key",
                f"They were written by a captured job, with the key {', '.join(write.key)}",
                "Declare the same key in both jobs",
            )
        if scan.cached and self._fresh.since(write.version, 0):
            raise BadInput(
                f"It is unknown which rows of {scan.table} are in a cached frame",
                "The same block wrote the table",
                "Write the table in a separate block",
            )

    def _check_rows(self, write: Written, rows: I64) -> None:
        missing = rows[~self._has(write, rows)]
        if len(missing):
            key = self._rows.keys[int(missing[0])].as_py()
            raise BadInput(
                f"{len(missing):,} rows of {self._scan.table} cannot be found by their keys",
                f"Write {write.version} has no row {key!r}; the key may have been read as a "
                "different string, changed or erased",
                "Read key columns with the types that were written",
            )
