"""Follow what rows carried through the taps, down to the source rows of each group."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from provhouse.model.arrays import I64
from provhouse.model.errors import BadInput

from .associations import NONE, check_proof, read_tap
from .description import ROWS, CapturedWrite


@dataclass(frozen=True)
class Pairs:
    """Distinct pairs of a position in a list of keys and the id of a source row, in order."""

    at: I64
    row: I64


class Tracer:
    """Finds the source rows of groups; it reads each tap once for each operator above it."""

    def __init__(self, write: CapturedWrite) -> None:
        self._write = write

    def sources(self, tap: int, keys: I64) -> Pairs:
        """Return the source rows of the groups with these keys, which are distinct and in order.

        Raises BadInput if a key stands for two groups, or if a group has no rows.
        """
        table = self._write.taps[tap]
        found = read_tap(_folder(self._write, str(tap)), 1 + len(table.slots))
        for place in range(table.proofs):
            check_proof(read_tap(_folder(self._write, f"{tap}-keys-{place}"), 1)[0], table.by)
        if len(keys) and keys[0] == NONE:
            raise BadInput(
                f"A group by {table.by} has the key {NONE}",
                "This number stands for a missing value in association files",
                "Write this result outside of the block",
            )
        at, kept = position(found[0], keys)
        _check_found(at, keys, table.by)
        parts = [self._column(slot, at, found[1 + n, kept]) for n, slot in enumerate(table.slots)]
        return _distinct(parts)

    def _column(self, slot: int, at: I64, values: I64) -> Pairs:
        present = values != NONE
        at, values = at[present], values[present]
        if slot == ROWS:
            return Pairs(at, values)
        below, which = np.unique(values, return_inverse=True)
        return _through(at, which, self.sources(slot, below))


def _check_found(at: I64, keys: I64, by: str) -> None:
    """Raise BadInput if a group has no rows; only an aggregate of all rows may be of none."""
    if by and len(np.unique(at)) != len(keys):
        raise BadInput(
            f"The rows of a group by {by} are missing",
            "A task has written the group, but no task has left its associations",
            "Run the job again; if this repeats, report it",
        )


def position(values: I64, keys: I64) -> tuple[I64, I64]:
    """Return, for the values that are among the sorted keys, their positions there and here."""
    if not len(keys):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    at = np.minimum(np.searchsorted(keys, values), len(keys) - 1)
    kept = np.flatnonzero(keys[at] == values)
    return at[kept], kept


def _through(at: I64, which: I64, below: Pairs) -> Pairs:
    """Return the pairs that result when ``at`` derives from the groups ``which`` of ``below``."""
    first = np.searchsorted(below.at, which, "left")
    count = np.searchsorted(below.at, which, "right") - first
    starts = np.repeat(first - (np.cumsum(count) - count), count)
    return Pairs(np.repeat(at, count), below.row[starts + np.arange(len(starts))])


def _distinct(parts: list[Pairs]) -> Pairs:
    empty = np.empty(0, np.int64)
    at = np.concatenate([empty, *(part.at for part in parts)])
    row = np.concatenate([empty, *(part.row for part in parts)])
    order = np.lexsort((row, at))
    at, row = at[order], row[order]
    new = np.ones(len(at), bool)
    new[1:] = (at[1:] != at[:-1]) | (row[1:] != row[:-1])
    return Pairs(at[new], row[new])


def _folder(write: CapturedWrite, name: str) -> Path:
    return write.folder / name
