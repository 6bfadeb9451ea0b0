"""Follow what rows carried through the taps, down to the source rows of each group."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from provhouse.model.arrays import I64
from provhouse.model.errors import BadInput

from .associations import NONE, check_checks, check_proof, read_tap
from .description import ROWS, CapturedWrite, TapTable


@dataclass(frozen=True)
class Pairs:
    """Distinct pairs of a position in a list of keys and the id of a source row, in order."""

    at: I64
    row: I64


@dataclass(frozen=True)
class Kept:
    """Groups of a tap that groups above derive from, kept because their rows would be too many."""

    tap: int
    at: I64
    """Positions in the list of the keys of the groups above."""
    key: I64
    """For each of ``at``, the key of a group of ``tap``."""


@dataclass(frozen=True)
class Sources:
    """The origins of groups: source rows, and groups whose rows are shared by many."""

    rows: Pairs
    kept: tuple[Kept, ...]


class Tracer:
    """Finds the source rows of groups; it reads each tap once for each operator above it."""

    def __init__(self, write: CapturedWrite) -> None:
        self._write = write

    def sources(self, tap: int, keys: I64) -> Sources:
        """Return what the groups with these keys derive from; keys are distinct and in order.

        A chain of groups is followed down to source rows where that needs no more pairs than the
        chain has. Raises BadInput if a key stands for two groups, or if a group has no rows.
        """
        table = self._write.taps[tap]
        found = read_tap(_folder(self._write, str(tap)), 1 + table.checked + len(table.slots))
        self._check(tap, table, found)
        at, kept = position(found[0], keys)
        _check_found(at, keys, table.by)
        columns = found[1 + table.checked :, kept]
        parts = [self._column(slot, at, columns[n]) for n, slot in enumerate(table.slots)]
        rows = distinct([part.rows for part in parts])
        return Sources(rows, tuple(each for part in parts for each in part.kept))

    def _check(self, tap: int, table: TapTable, found: I64) -> None:
        for place in range(table.proofs):
            check_proof(_folder(self._write, f"{tap}-keys-{place}"), table.by)
        if table.checked:
            check_checks(found[0], found[1], table.by)
        if (found[0] == NONE).any():
            raise BadInput(
                f"A group by {table.by} has the key {NONE}",
                "This number stands for a missing value in association files",
                "Write this result outside of the block",
            )

    def _column(self, slot: int, at: I64, values: I64) -> Sources:
        present = values != NONE
        at, values = at[present], values[present]
        if slot == ROWS:
            return Sources(Pairs(at, values), ())
        below, which = np.unique(values, return_inverse=True)
        pairs = distinct([Pairs(at, which)])
        found = self.sources(slot, below)
        if _count(pairs, found.rows) > len(pairs.at) + len(found.rows.at):
            return Sources(distinct([]), (Kept(slot, pairs.at, below[pairs.row]),))
        rows = Pairs(*through(pairs, found.rows.at, found.rows.row))
        above = [Kept(each.tap, *through(pairs, each.at, each.key)) for each in found.kept]
        return Sources(rows, tuple(above))


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


def _count(pairs: Pairs, below: Pairs) -> int:
    """Return how many pairs ``through`` returns."""
    size = np.bincount(below.at, minlength=int(pairs.row.max(initial=-1)) + 1)
    return int(size[pairs.row].sum())


def through(pairs: Pairs, at: I64, values: I64) -> tuple[I64, I64]:
    """Return the pairs that result when groups derive from others, which have these values.

    ``pairs.row`` has positions among the other groups, and ``at`` has those of ``values``, in
    ascending order.
    """
    first = np.searchsorted(at, pairs.row, "left")
    count = np.searchsorted(at, pairs.row, "right") - first
    starts = np.repeat(first - (np.cumsum(count) - count), count)
    return np.repeat(pairs.at, count), values[starts + np.arange(len(starts))]


def distinct(parts: list[Pairs]) -> Pairs:
    """Return all pairs once, in order."""
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
