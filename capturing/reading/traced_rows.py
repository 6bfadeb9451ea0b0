"""Turn the slots that rows carried into triples with derivations."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import I64, Bools, unique
from provhouse.model.associations import NONE, ROWS
from provhouse.model.columns import OPERATION

from .given_values import given, values_of
from .id_pairs import Pairs, PairSet, distinct, through
from .op_texts import op_of
from .output import Output
from .sampled import carried
from .spread import Spread
from .tap_files import PIECE
from .tap_table import TapTable
from .tap_trace import TapTracer

_OPERATION = pa.schema([(name, pa.string()) for name in OPERATION])


@dataclass(frozen=True)
class GroupedRows:
    """Groups from which rows of the output derive, with the source rows of each group."""

    number: int
    """The position of this object among the ``GroupedRows`` of the write."""
    tap: TapTable
    row: I64
    """Positions of rows in the output, in ascending order of ``group``."""
    group: I64
    """For each element of ``row``, the position of its group in ``sources``."""
    sources: PairSet
    values: Spread | None = None
    """The values that source rows contribute, in the same parts as ``sources``, or None."""


@dataclass(frozen=True)
class Traced:
    """The lineage of the rows of one write."""

    output: Output
    direct: tuple[int, ...]
    """The slots of the output's rows that have ids of source rows."""
    grouped: tuple[GroupedRows, ...]
    widened: frozenset[int]
    """The taps of windows whose rows derive from whole partitions."""

    @property
    def supersets(self) -> frozenset[int]:
        """The numbers of the taps that may list unused rows."""
        taps = enumerate(self.output.write.taps)
        return self.widened | {number for number, tap in taps if tap.exactness == "superset"}

    def exactness(self, tap: TapTable) -> str:
        """Return the weakest exactness of a tap and of the taps below it."""
        taps = self.output.write.taps
        below, waiting = set[int](), [taps.index(tap)]
        while waiting:
            number = waiting.pop()
            if number not in below:
                below.add(number)
                waiting += [slot for slot in taps[number].slots if slot > ROWS]
        wide = self.supersets | {at for at, each in enumerate(taps) if each.of in self.widened}
        return "superset" if below & wide else "exact"

    @property
    def has_exact_kinds(self) -> bool:
        """Whether the kinds of the operations determine exactly when each row exists."""
        write = self.output.write
        return write.exact_kinds or write.slots == (ROWS,)

    def kind(self, tap: TapTable) -> str:
        """Return the kind of the operation whose rows a tap has written."""
        return tap.op_kind if self.has_exact_kinds else "function"

    def direct_pairs(self) -> Iterator[Pairs]:
        """Yield pairs: the position of an output row, and a source row from that row's slots."""
        if self.direct:
            for first, slots in carried(self.output):
                for slot in self.direct:
                    row = np.flatnonzero(slots[slot] != NONE)
                    yield Pairs(first + row, slots[slot, row])


@dataclass(frozen=True)
class RowPiece:
    """Triples of one op. In a row that belongs to a shared derivation, only one end is set."""

    op: str | None = None
    """The op; None in the rows that list only the output rows of shared derivations."""
    src: I64 | None = None
    """Ids of source rows."""
    row: I64 | None = None
    """Positions in the output."""
    derivation: pa.Array | str | None = None
    shared: pa.Array | None = None
    op_kind: str | None = None
    value: pa.Array | None = None
    """The value that each element of ``src`` contributes to an aggregate; None if not captured."""


def traced(output: Output, aside: Path) -> Traced:
    """Trace the rows of a write from their slots to source rows, and return their lineage.

    Data that does not fit in memory is put into files in the folder ``aside``. The result needs
    these files, and the caller removes them afterwards.
    """
    tracer = TapTracer(output, aside)
    grouped = list[GroupedRows]()
    waiting = _carried(output)
    while waiting:
        tap, pairs = waiting.pop(0)
        keys, group = np.unique(pairs.row, return_inverse=True)
        order = np.argsort(group, kind="stable")
        found, row = tracer.sources(tap, keys), pairs.at
        of = output.write.taps[tap]
        valued = of.valued and output.write.exact_kinds
        values = values_of(of, aside) if valued else None
        grouped.append(GroupedRows(len(grouped), of, row[order], group[order], found.rows, values))
        for kept in found.kept:
            parts = [through(Pairs(row, group), part.at, part.row) for part in kept.pairs.parts()]
            waiting.append((kept.tap, distinct(parts)))
    slots = (slot for slot, tap in enumerate(output.write.slots) if tap <= ROWS)
    return Traced(output, tuple(slots), tuple(grouped), frozenset(tracer.widened))


def _carried(output: Output) -> list[tuple[int, Pairs]]:
    """Return, for each slot that contains keys of groups, its tap, and pairs of a row and a key."""
    slots = [slot for slot, tap in enumerate(output.write.slots) if tap > ROWS]
    if not slots:
        return []
    parts = [(first, found[slots]) for first, found in carried(output)]
    values = np.concatenate([np.empty((len(slots), 0), np.int64), *(p for _, p in parts)], axis=1)
    rows = [np.flatnonzero(column != NONE) for column in values]
    return [
        (output.write.slots[slot], Pairs(row, column[row]))
        for slot, row, column in zip(slots, rows, values, strict=True)
    ]


def bare_rows(found: Traced) -> int:
    """Return the number of rows that do not derive from any row, such as a sum over no rows."""
    if found.output.write.moves:
        return 0
    derived = np.zeros(sum(found.output.counts), bool)
    for first, copied in found.output.kept():
        derived[first + np.flatnonzero(copied != NONE)] = True
    for pairs in found.direct_pairs():
        derived[pairs.at] = True
    for group in found.grouped:
        derived[group.row[group.sources.sizes[group.group] > 0]] = True
    return int(len(derived) - derived.sum())


def pieces(found: Traced, table: str) -> Iterator[RowPiece]:
    """Yield the triples of a write to ``table``.

    If only one row derives from a group, the group becomes a derivation of that row; otherwise, it
    becomes a shared derivation. If the kinds are not exact, the triples get neither a kind nor a
    derivation: a row may need all of its sources, or one of its sources may be enough.
    """
    together = len(found.direct) > 1 and found.has_exact_kinds
    for pairs in found.direct_pairs():
        yield RowPiece(
            op_of(found.output.write, table, None),
            pairs.row,
            pairs.at,
            derivation="rows" if together else None,
            op_kind="all" if together else None,
        )
    for group in found.grouped:
        yield from _grouped(group, found, op_of(found.output.write, table, group.tap))


def operations(found: Traced, table: str, run: str) -> pa.Table:
    """Return the descriptions of all ops of a write."""
    write = found.output.write
    weakest, module = "absence" if write.absence else None, write.module or None
    described = dict[str, tuple[str | None, ...]]()
    for group in found.grouped:
        op, tap = op_of(write, table, group.tap), group.tap
        exact = weakest or found.exactness(tap)
        facts = (tap.function or None, module, tap.sql, run, tap.place or None, exact)
        described[op] = (op, found.kind(tap), *facts)
    if found.direct:
        op = op_of(write, table, None)
        kind = "all" if found.has_exact_kinds else "function"
        described[op] = (op, kind, None, module, None, run, None, weakest or "exact")
    columns = list(zip(*described.values(), strict=True)) or [()] * len(_OPERATION)
    return pa.table([pa.array(column, pa.string()) for column in columns], schema=_OPERATION)


def _grouped(group: GroupedRows, found: Traced, op: str) -> Iterator[RowPiece]:
    uses = np.bincount(group.group, minlength=len(group.sources.sizes))
    first = np.searchsorted(group.group, np.arange(len(uses)))
    kind = group.tap.op_kind if found.has_exact_kinds else None
    several = len(unique(group.row)) != len(group.row)
    for part, numbers in _parts(group):
        for start in range(0, len(part.at), PIECE):
            at, src = part.at[start : start + PIECE], part.row[start : start + PIECE]
            value = None if numbers is None else given(numbers, src)
            single = uses[at] == 1
            if single.any():
                row = group.row[first[at[single]]]
                label = _derivations(group, at[single], several) if kind else None
                yield RowPiece(
                    op,
                    src[single],
                    row,
                    derivation=label,
                    op_kind=kind,
                    value=_filtered(value, single),
                )
            if not single.all():
                labels = _labels(found, group, at[~single])
                yield RowPiece(
                    op, src[~single], shared=labels, op_kind=kind, value=_filtered(value, ~single)
                )
    shared = np.flatnonzero(((uses > 1) & (group.sources.sizes > 0))[group.group])
    for start in range(0, len(shared), PIECE):
        rows = shared[start : start + PIECE]
        labels = _labels(found, group, group.group[rows])
        yield RowPiece(row=group.row[rows], shared=labels)


def _parts(group: GroupedRows) -> Iterator[tuple[Pairs, I64 | None]]:
    """Yield pairs of a group and a source row in parts, each part with the values of its rows."""
    if group.values is None:
        yield from ((part, None) for part in group.sources.parts())
    else:
        yield from zip(group.sources.parts(), group.values.parts(), strict=True)


def _filtered(value: pa.Array | None, kept: Bools) -> pa.Array | None:
    return None if value is None else value.filter(pa.array(kept))


def _derivations(group: GroupedRows, at: I64, several: bool) -> pa.Array | str:
    """Return a derivation label for each group; if ``several``, the labels are distinct."""
    if not several:
        return f"group {group.number}"
    prefix = f"group {group.number} "
    return pc.binary_join_element_wise(prefix, pa.array(at).cast(pa.string()), "")


def _labels(found: Traced, group: GroupedRows, at: I64) -> pa.Array:
    prefix = f"{found.output.write.path} {group.number} "
    labels: pa.Array = pc.binary_join_element_wise(prefix, pa.array(at).cast(pa.string()), "")
    return labels
