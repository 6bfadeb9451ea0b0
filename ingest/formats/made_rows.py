"""Turn the rows that a format's module makes from a document into batches of triples.

These functions are for formats that are not tables of triples. The module of such a format yields
rows, and counts the parts of the document that it does not read.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pyarrow as pa

from . import limits
from .column_mapping import KNOWN
from .source import Batch, Source
from .tabular import as_batches

Row = dict[str, str | None]
"""A triple: its known columns and its attributes."""
PIECE = 1 << 14
"""The number of rows in a batch."""


def check_columns(source: Source, *attributes: str) -> list[str]:
    """Return the columns of a document's rows; raise BadInput if the options do not allow them."""
    found = [*KNOWN, *attributes]
    source.columns.check(source.path, found)
    return found


def batches_of(source: Source, rows: Iterable[Row], unread: Counter[str]) -> Iterator[Batch]:
    """Yield ``rows`` in batches.

    ``unread`` counts the unread parts of the document by name. Each batch gets the counts since the
    last batch, and ``unread`` is emptied.
    """
    for batch in as_batches(source, _tables(rows)):
        yield replace(batch, unread=dict(+unread))
        unread.clear()


def _tables(rows: Iterable[Row]) -> Iterator[pa.Table]:
    piece: list[Row] = []
    size = 0
    for row in rows:
        piece.append(row)
        size += sum(len(value) for value in row.values() if value)
        if len(piece) == PIECE or size > limits.BLOCK:
            yield _table(piece)
            piece, size = [], 0
    yield _table(piece)  # also without rows, for what was not read


def _table(rows: list[Row]) -> pa.Table:
    names = dict.fromkeys([*KNOWN, *(name for row in rows for name in row)])
    return pa.table(
        {name: pa.array([row.get(name) for row in rows], pa.string()) for name in names}
    )
