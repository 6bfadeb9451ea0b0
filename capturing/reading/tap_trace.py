"""Follow the keys that rows carried, through the taps, to the source rows of each group."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from provhouse.model.arrays import I64
from provhouse.model.associations import NONE, ROWS
from provhouse.model.errors import BadInput

from .compared_rows import ComparedRows
from .id_pairs import Pairs, PairSet, through
from .marks import as_ids
from .output import Output
from .source_keys import SourceKeys
from .spread import Spread
from .stretches import bounds
from .tap_files import check_checks, check_proof, count_rows, tap_pieces
from .tap_partitions import MOST_PER_ROW, FrameRows, TapPartitions, UsedRows, position
from .tap_table import TapTable


@dataclass(frozen=True)
class Kept:
    """Groups of a tap that stand in for their source rows, which are too many to be listed."""

    tap: int
    pairs: PairSet
    """Pairs: the position of an upper group's key, and the key of a group of ``tap``."""


@dataclass(frozen=True)
class Sources:
    """The origins of groups: source rows, and lower groups that represent shared source rows."""

    rows: PairSet
    kept: tuple[Kept, ...]


class TapTracer:
    """The search for the source rows of groups. A tap is read once for each operator above it.

    Data that does not fit in memory is put into files in the folder ``aside``, which the caller
    removes.
    """

    def __init__(self, output: Output, aside: Path) -> None:
        self._write, self._marks, self._aside = output.write, output.marks, aside
        self._keys = SourceKeys(output.write.sources, aside)
        self.widened = set[int]()
        """The taps of windows whose rows derive from whole partitions instead of parts."""

    def sources(self, tap: int, keys: I64, *, inside: bool = False) -> Sources:
        """Return the origins of the groups with the given keys, which are distinct and in order.

        ``inside`` means that a stretch of rows of another window has these keys. A chain of groups
        is replaced by source rows if this does not need more pairs than the chain itself. Raises
        BadInput if two groups have the same key, or if the rows of a group are missing.
        """
        table = self._write.taps[tap]
        kept, joined = list[Kept](), list[_Below]()
        if table.of is not None:
            rows, lower = self._stretches(table, keys)
        elif table.is_ordered:
            rows, lower = self._parts(tap, keys, kept, inside)
        else:
            rows, lower = self._read(tap, keys)
        for slot, pairs in lower:
            inside = inside or table.of is not None
            below = self._below(slot, pairs.seal(len(keys)), inside)
            kept += below.kept
            if below.count:
                joined.append(below)
        if joined:
            before, rows = (
                rows,
                PairSet(rows.most + sum(below.count for below in joined), self._aside),
            )
            for part in before.parts():
                rows.add(part)
            for below in joined:
                for part in below.rows():
                    rows.add(part)
        return Sources(rows.seal(len(keys)), tuple(kept))

    def _read(self, tap: int, keys: I64) -> tuple[PairSet, list[tuple[int, PairSet]]]:
        """Return pairs of a group and a source row, and pairs of a group and a key of another tap.

        The second result has an element for each slot with keys: the number of the other tap, and
        the pairs.
        """
        table = self._write.taps[tap]
        for place in range(table.proofs):
            check_proof(table.proof(place), table.by, self._aside)
        count = count_rows(table.folder)
        checks = Spread(2, count, self._aside) if table.checked else None
        rows, lower = self._empty(table, count)
        filled = np.zeros(len(keys), bool)
        for piece, few in self._pieces(table, keys):
            first = 0 if few else table.first_slot
            if few:
                at, found = few
            else:
                _check_key(piece[0], table)
                at, found = position(piece[0], keys)
            if checks:
                checks.add(piece[0], [piece[0], piece[1]])
            filled[at] = True
            slots = as_ids(table.slots, piece[first:, found], self._marks)
            _add(rows, lower, table, at, slots)
        if checks:
            check_checks(checks, table.by)
        if table.by and not filled.all():  # only an aggregate of all rows may have no rows
            raise _missing(table)
        return rows, lower

    def _pieces(self, table: TapTable, keys: I64) -> Iterator[tuple[I64, tuple[I64, I64] | None]]:
        """Yield the rows of a tap, including keys that the tap omits, as arrays of columns.

        With each array come the positions of the wanted keys and of their rows if the rows were
        found without the keys of all rows; the array then lacks these keys.
        """
        if not table.source:
            for piece in tap_pieces(table.folder, table.first_slot + len(table.slots)):
                yield piece, None
            return
        for slots in tap_pieces(table.folder, len(table.slots)):
            if few := self._keys.rows_of(table, keys, slots):
                yield slots, few
            else:
                yield self._keys.with_keys(table, slots), None

    def _empty(self, table: TapTable, count: int) -> tuple[PairSet, list[tuple[int, PairSet]]]:
        """Return empty sets for the slots of ``count`` rows of a tap."""
        rows = PairSet(count * sum(slot <= ROWS for slot in table.slots), self._aside)
        return rows, [(slot, PairSet(count, self._aside)) for slot in table.slots if slot > ROWS]

    def _parts(
        self, tap: int, keys: I64, kept: list[Kept], inside: bool
    ) -> tuple[PairSet, list[tuple[int, PairSet]]]:
        """Return the same kinds of pairs as ``_read``, for groups that are parts of partitions.

        If there would be far more pairs than rows of the tap, add most of them to ``kept``, as
        stretches of rows that several parts share. Where the rows have groups below or above, a
        row of the output would get the groups of all rows of its stretches, which grows with the
        square of the partition. So add whole partitions to ``kept`` instead.
        """
        table = self._write.taps[tap]
        held = TapPartitions(table, self._aside)
        used: UsedRows
        used = FrameRows(held, keys) if table.parts else ComparedRows(held, keys, self._aside)
        if not used.filled.all():
            raise _missing(table)
        if used.count <= MOST_PER_ROW * min(len(keys), held.rows):
            count, pieces = used.count, used.pieces()
        elif inside or any(slot > ROWS for slot in table.slots):
            self.widened.add(tap)
            whole = used.whole(self._aside).seal(len(keys))
            kept.append(Kept(self._write.stretches_of(tap), whole))
            return self._empty(table, 0)
        else:
            most = 2 * len(keys) * held.rows.bit_length()
            count = min(most, used.count)
            stretches = PairSet(count, self._aside)
            pieces = used.divided(stretches)
            kept.append(Kept(self._write.stretches_of(tap), stretches))
        found = self._paired(table, count, pieces)
        for each in kept:
            each.pairs.seal(len(keys))
        return found

    def _stretches(
        self, table: TapTable, stretches: I64
    ) -> tuple[PairSet, list[tuple[int, PairSet]]]:
        """Return the same kinds of pairs as ``_read``, for stretches of the rows of partitions."""
        assert table.of is not None
        held = TapPartitions(self._write.taps[table.of], self._aside)
        start, end = bounds(stretches)
        count = int(np.minimum(end - start, held.rows).sum())
        return self._paired(table, count, held.rows_in(stretches))

    def _paired(
        self, table: TapTable, count: int, pieces: Iterator[tuple[I64, I64]]
    ) -> tuple[PairSet, list[tuple[int, PairSet]]]:
        """Return the same kinds of pairs as ``_read``, of ``count`` positions with their slots."""
        rows, lower = self._empty(table, count)
        for at, slots in pieces:
            _add(rows, lower, table, at, as_ids(table.slots, slots, self._marks))
        return rows, lower

    def _below(self, slot: int, pairs: PairSet, inside: bool) -> "_Below":
        keys = pairs.rows()
        found = self.sources(slot, keys, inside=inside)
        count = sum(
            int(found.rows.sizes[np.searchsorted(keys, part.row)].sum()) for part in pairs.parts()
        )
        if count > pairs.count + found.rows.count:
            return _Below(pairs, keys, found.rows, 0, (Kept(slot, pairs),))
        kept = []
        for each in found.kept:
            joined = list(_joined(pairs, keys, each.pairs))
            above = PairSet(sum(len(part.at) for part in joined), self._aside)
            for part in joined:
                above.add(part)
            kept.append(Kept(each.tap, above.seal(len(pairs.sizes))))
        return _Below(pairs, keys, found.rows, count, tuple(kept))


@dataclass(frozen=True)
class _Below:
    """The origins that the groups of a tap get from the groups of a lower tap."""

    pairs: PairSet
    """Pairs: the position of an upper group, and the key of a lower group."""
    keys: I64
    sources: PairSet
    """Pairs: the position of a lower group's key in ``keys``, and a source row of the group."""
    count: int
    """The number of pairs that ``rows`` yields; 0 if the groups are kept instead."""
    kept: tuple[Kept, ...]

    def rows(self) -> Iterator[Pairs]:
        """Yield pairs of an upper group and a source row; pairs may repeat."""
        return _joined(self.pairs, self.keys, self.sources)


def _joined(above: PairSet, keys: I64, below: PairSet) -> Iterator[Pairs]:
    for low in below.parts():
        for part in above.parts():
            yield through(Pairs(part.at, np.searchsorted(keys, part.row)), low.at, low.row)


def _add(
    rows: PairSet, lower: list[tuple[int, PairSet]], table: TapTable, at: I64, slots: I64
) -> None:
    """Add the slots of a tap's rows, paired with the positions ``at``, to the given sets."""
    others = iter(lower)
    for slot, values in zip(table.slots, slots, strict=True):
        here = values != NONE
        target = rows if slot <= ROWS else next(others)[1]
        target.add(Pairs(at[here], values[here]))


def _check_key(keys: I64, table: TapTable) -> None:
    if (keys == NONE).any():
        raise BadInput(
            f"A group by {table.by} has the key {NONE}",
            "In association files, this number represents a missing value",
            "Write this result outside of the block",
        )


def _missing(table: TapTable) -> BadInput:
    return BadInput(
        f"The rows of a group by {table.by} are missing",
        "A task wrote the group, but no task recorded its associations",
        "Run the job again; if this repeats, report it",
    )
