"""Marked rows as the output of a write: items that have their own versions and lineage."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from provhouse.model.arrays import I64
from provhouse.store.tables.written import Written

from .marks import MarkedRows, as_ids
from .output import Output
from .row_names import Ends, constant, marked_items
from .tap_files import PIECE


@dataclass(frozen=True)
class MarkedOutput(Output):
    """The rows in one tap of a mark; ``write`` describes their slots."""

    rows: MarkedRows = field(kw_only=True)
    tap: int = field(kw_only=True)

    def carried(self) -> Iterator[tuple[int, I64]]:
        """Yield pieces: each has its first row's position, and an array with a row per slot."""
        _, slots = self.rows.slots[self.tap]
        for start in range(0, slots.shape[1], PIECE):
            piece = slots[:, start : start + PIECE]
            yield start, as_ids(self.write.slots, piece, self.marks)


def marked_outputs(outputs: Sequence[Output]) -> list[MarkedOutput]:
    """Return the marked rows that writes used. Several writes may share rows of a cached frame."""
    found = list[MarkedOutput]()
    seen = set[object]()
    for output in outputs:
        for rows in output.marks.values():
            if rows.place in seen:
                continue
            seen.add(rows.place)
            for tap in rows.slots:
                write = replace(
                    output.write,
                    path=rows.place.with_name(f"{rows.place.name} {tap}"),
                    table=rows.table,
                    slots=output.write.taps[tap].slots,
                    op="",
                )
                found.append(MarkedOutput(write, (), output.marks, rows=rows, tap=tap))
    return found


class MarkedNames:
    """The items of marked rows, looked up by the rows' positions in a ``MarkedOutput``."""

    def __init__(self, output: MarkedOutput, written: Written) -> None:
        self._rows, self._written = output.rows, written
        self._at, _ = output.rows.slots[output.tap]

    def ends(self, rows: I64) -> Ends:
        """Return the items of the given rows."""
        items = marked_items(self._rows, self._at[rows], self._written)
        return Ends(items, constant(self._written.table, len(rows)))
