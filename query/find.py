"""Find items by a part of their names: all names are read through, a piece at a time."""

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from provhouse.model.columns import ITEM, NAME, TABLE
from provhouse.model.progress import Stopwatch
from provhouse.store.names import BATCH
from provhouse.store.scan import scan
from provhouse.store.snapshot import Snapshot

from .tables import check_tables

_NONE = pa.table({NAME: pa.array([], pa.string())})


@dataclass(frozen=True)
class Finding:
    """Items whose names begin with a text, or hold it anywhere.

    ``items`` has the columns item and table (text), ordered by item: the first of ``matches``.
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
    """The first ``limit`` items, by name, whose names begin with the text, which is no pattern.

    ``table`` leaves only its items, an empty one those without a table. Raises UsageError for a
    table that no item is in.
    """
    watch = Stopwatch()
    check_tables([table or ""], snapshot)
    columns = (NAME,) if table is None else (NAME, TABLE)
    parts, matches = [_NONE], 0
    for some, count in scan(snapshot.names, _matching(text, anywhere, table, limit), columns):
        parts.append(some)
        matches += count
        if sum(map(len, parts)) > 2 * limit + BATCH:
            parts = [_first(pa.concat_tables(parts), limit)]
    found = _first(pa.concat_tables(parts), limit).sort_by(NAME)[NAME].combine_chunks()
    tables = snapshot.names.tables(snapshot.names.locate(found))
    return Finding(
        text=text,
        anywhere=anywhere,
        table=table,
        generation=snapshot.commit.generation,
        time=snapshot.commit.time,
        matches=matches,
        truncated="limit" if matches > limit else None,
        items=pa.table({ITEM: found, TABLE: tables}),
        seconds=watch.total()["total"],
    )


def _matching(
    text: str, anywhere: bool, table: str | None, limit: int
) -> Callable[[pa.Table], tuple[pa.Table, int]]:
    """Takes some rows and gives the first that match, and how many do."""
    holds = pc.match_substring if anywhere else pc.starts_with

    def select(rows: pa.Table) -> tuple[pa.Table, int]:
        rows = rows.filter(holds(rows[NAME], text))
        if table is not None:
            rows = rows.filter(pc.equal(rows[TABLE].cast(pa.string()), table))
        return _first(rows.select([NAME]), limit), rows.num_rows

    return select


def _first(rows: pa.Table, limit: int) -> pa.Table:
    """The first rows by name, in no particular order."""
    if rows.num_rows <= limit:
        return rows
    return rows.take(pc.select_k_unstable(rows, limit, [(NAME, "ascending")]))
