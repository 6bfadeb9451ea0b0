"""Marked rows: rows within a plan that become items, as if they had been written."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from provhouse.model.arrays import I64
from provhouse.model.associations import NONE, ROW_BITS, ROWS
from provhouse.model.errors import BadInput

from .description import CapturedWrite
from .row_keys import fewer_values
from .tap_files import stages_of
from .tap_table import TapTable, slot_of_mark

_ID, _NAME = "c0", "t0"


@dataclass(frozen=True)
class MarkedRows:
    """The rows of a marked table in one write or cached frame, in the order of their hashes."""

    place: Path
    """A path that represents the rows in the table of files. There is no file at this path."""
    table: str
    key: tuple[str, ...]
    number: int
    """The number that the ids of the rows contain in place of a file number."""
    hashes: I64
    """The hashes that rows above the mark carry, in ascending order."""
    names: pa.Array
    """The key of each row, as a string."""
    slots: Mapping[int, tuple[I64, I64]]
    """For each tap, the positions of its rows, and their slots as an array with a row per slot."""

    def ids(self, found: I64) -> I64:
        """Return the ids of the rows with the given hashes; for a hash ``NONE``, return ``NONE``.

        Raises BadInput if a row is missing.
        """
        at = np.searchsorted(self.hashes, found)
        here = found != NONE
        if (at[here] == len(self.hashes)).any() or (self.hashes[at[here]] != found[here]).any():
            raise BadInput(
                f"Marked rows of {self.table} are missing",
                "A task used them, but no task recorded their keys",
                "Run the job again; if this repeats, report it",
            )
        return np.where(here, (self.number << ROW_BITS) + at, NONE)


Marks = Mapping[int, MarkedRows]
"""Marked rows, keyed by the number that represents them in slots."""


def marks_of(write: CapturedWrite, known: dict[Path, MarkedRows], aside: Path) -> Marks:
    """Return the marked rows that a write used, and add them to ``known`` by their paths.

    Keys stay in memory-mapped files in the folder ``aside``. Raises BadInput if a key is NULL or
    not unique, or if Spark computed the rows twice and they derived from different rows.
    """
    places: defaultdict[Path, list[int]] = defaultdict(list)
    for number, tap in enumerate(write.taps):
        if tap.mark:
            places[tap.folder.with_name(f"mark {tap.mark.table}")].append(number)
    found = dict[int, MarkedRows]()
    for place, taps in places.items():
        if place not in known:
            known[place] = _opened(place, {tap: write.taps[tap] for tap in taps}, aside)
        found |= dict.fromkeys(map(slot_of_mark, taps), known[place])
    return found


def _opened(place: Path, taps: Mapping[int, TapTable], aside: Path) -> MarkedRows:
    """Read the rows of all taps of a marked table."""
    mark = next(iter(taps.values())).mark
    assert mark
    rows = {tap: _rows(table, mark.table, mark.key) for tap, table in taps.items()}
    _check_alike(mark.table, list(rows.values()))
    every = pa.concat_tables(table.select([_ID, _NAME]) for table in rows.values())
    every = every.group_by([_ID, _NAME]).aggregate([]).sort_by(_ID)
    path = aside / f"mark-{token_hex(8)}.arrow"
    with pa.ipc.new_file(str(path), every.schema) as file:
        file.write_table(every.combine_chunks())
    mapped = pa.ipc.open_file(pa.memory_map(str(path))).read_all().combine_chunks()
    hashes, seen = np.asarray(mapped[_ID]), np.zeros(len(mapped), bool)
    slots = dict[int, tuple[I64, I64]]()
    for tap, table in rows.items():
        at = np.searchsorted(hashes, np.asarray(table[_ID]))
        new = np.flatnonzero(~seen[at])
        seen[at] = True
        columns = [np.asarray(table[name])[new] for name in table.column_names[1:-1]]
        slots[tap] = at[new], np.stack([np.empty(len(new), np.int64), *columns])[1:]
    names = mapped[_NAME].combine_chunks()
    return MarkedRows(place, mark.table, mark.key, mark.number, hashes, names, slots)


def _rows(tap: TapTable, table: str, key: Sequence[str]) -> pa.Table:
    """Return the distinct rows of a tap, each with its hash, slots and key."""
    names = [_ID, *(f"c{slot + 1}" for slot in range(len(tap.slots)))]
    schema = pa.schema([*((name, pa.int64()) for name in names), (_NAME, pa.string())])
    parts = [schema.empty_table()]
    for place in range(tap.proofs):
        for paths in stages_of(tap.proof(place)):
            part = pa.concat_tables(pq.read_table(path).cast(schema) for path in paths)
            _check_keys(part, table, key)
            parts.append(part)
    return pa.concat_tables(parts).group_by(schema.names).aggregate([]).select(schema.names)


def _check_keys(rows: pa.Table, table: str, key: Sequence[str]) -> None:
    by = ", ".join(key)
    if nulls := rows[_NAME].null_count:
        raise BadInput(
            f"The key of {table} is NULL in {nulls:,} of the marked rows",
            f"The declared key is {by}",
            "Declare another key, or mark only rows whose key is not NULL",
        )
    distinct = int(pc.count_distinct(rows[_ID]).as_py())
    if distinct != len(rows):
        raise BadInput(
            f"The key of the marked rows of {table} is not unique",
            fewer_values(len(rows), distinct, tuple(key)),
            "Declare all columns of the key, as in keys={'table': ['a', 'b']}",
        )


def _check_alike(table: str, rows: Sequence[pa.Table]) -> None:
    """Raise BadInput if several rows with the same key derive from different rows."""
    widths = {part.num_columns for part in rows if len(part)}
    columns = list(rows[0].column_names) if len(widths) <= 1 else [_ID]
    some = [part for part in rows if len(part)] or rows[:1]
    every = pa.concat_tables(part.select(columns) for part in some)
    if len(widths) <= 1:
        every = every.group_by(columns).aggregate([])
    if int(pc.count_distinct(every[_ID]).as_py()) != len(every):
        raise BadInput(
            f"Marked rows of {table} have the same key, but derive from different rows",
            "Two frames are marked with this name, or Spark computed a random frame twice",
            "Use two names, or cache the frame that run.mark returns, inside of the block",
        )


def as_ids(slots: Sequence[int], columns: I64, marks: Marks) -> I64:
    """Replace the hashes of marked rows in columns of slots by row ids; return the columns."""
    if all(slot >= ROWS for slot in slots):
        return columns
    return np.stack(
        [
            marks[slot].ids(column) if slot < ROWS else column
            for slot, column in zip(slots, columns, strict=True)
        ]
    )
