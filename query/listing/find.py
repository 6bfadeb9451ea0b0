"""Find items by parts of their names, with a scan of all names in batches."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.arrays import ItemNumbers
from provhouse.model.columns import ITEM, NAME, TABLE
from provhouse.model.derivations import GROUP_PREFIX
from provhouse.model.progress import Stopwatch
from provhouse.store.names.scan import scan
from provhouse.store.names.segments import BATCH
from provhouse.store.tables.snapshot import Snapshot

from ..locate import check_tables

_NUMBER = "number"
_NONE = pa.schema([(NAME, pa.string()), (_NUMBER, pa.int64())]).empty_table()


@dataclass(frozen=True)
class Finding:
    """The items whose names begin with a given text, or contain it anywhere.

    ``items`` has the columns item and table (string), ordered by item, and at most ``limit`` rows;
    ``matches`` is the number of all matching items.
    """

    text: str
    anywhere: bool
    table: str | None
    generation: int
    time: str
    matches: int
    truncated: str | None
    items: pa.Table
    seconds: float


def find(
    snapshot: Snapshot,
    text: str,
    *,
    anywhere: bool = False,
    table: str | None = None,
    limit: int = 20,
) -> Finding:
    """Return the first ``limit`` items, by name, whose names begin with ``text``.

    If ``anywhere`` is true, a name may contain ``text`` at any position. ``text`` is not a pattern:
    every character stands for itself. If ``table`` is given, only items of this table match; the
    empty name stands for items without a table. Raises UsageError if the table has no items.
    """
    watch = Stopwatch()
    check_tables([table or ""], snapshot)
    columns = (NAME,) if table is None else (NAME, TABLE)
    parts, matches = [_NONE], 0
    select = _matching(text, anywhere, table, limit, groups=bool(len(snapshot.groups)))
    for some, count in scan(snapshot.names, select, columns):
        parts.append(some)
        matches += count
        if sum(map(len, parts)) > 2 * limit + BATCH:
            parts = [_first(pa.concat_tables(parts), limit)]
    found = _first(pa.concat_tables(parts), limit).sort_by(NAME)
    tables = snapshot.names.tables(ItemNumbers(np.asarray(found[_NUMBER])))
    return Finding(
        text=text,
        anywhere=anywhere,
        table=table,
        generation=snapshot.commit.generation,
        time=snapshot.commit.time,
        matches=matches,
        truncated="limit" if matches > limit else None,
        items=pa.table({ITEM: found[NAME], TABLE: tables}),
        seconds=watch.total()["total"],
    )


def _matching(
    text: str, anywhere: bool, table: str | None, limit: int, *, groups: bool
) -> Callable[[pa.Table, int], tuple[pa.Table, int]]:
    """Return a function that searches a batch of names.

    The function returns the names and numbers of the first ``limit`` matches, and the number of all
    matches. If ``groups`` is true, names of groups are not counted as matches.
    """
    holds = pc.match_substring if anywhere else pc.starts_with

    def select(rows: pa.Table, first: int) -> tuple[pa.Table, int]:
        matches = pc.fill_null(holds(rows[NAME], text), False)
        if groups:
            matches = pc.and_not(matches, pc.starts_with(rows[NAME], GROUP_PREFIX))
        if table is not None:
            matches = pc.and_(matches, pc.equal(rows[TABLE].cast(pa.string()), table))
        at = pc.indices_nonzero(matches)
        numbers = pc.add(at.cast(pa.int64()), first)
        found = pa.table({NAME: rows[NAME].take(at), _NUMBER: numbers})
        return _first(found, limit), len(at)

    return select


def _first(rows: pa.Table, limit: int) -> pa.Table:
    """Return the ``limit`` rows with the smallest names; the result is not sorted."""
    if rows.num_rows <= limit:
        return rows
    return rows.take(pc.select_k_unstable(rows, limit, [(NAME, "ascending")]))
