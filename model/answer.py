"""An answer: the items and triples that were found, and what was read to find them."""

from dataclasses import dataclass

import pyarrow as pa

from .question import Direction, Method


@dataclass(frozen=True)
class Read:
    """The amount of data that a method read to find an answer."""

    sets: int
    partitions: int
    triples: int


@dataclass(frozen=True)
class Counts:
    """The size of an answer, by table and by op.

    ``tables`` has the columns table, items, nearest and farthest (both in hops). It is ordered by
    nearest, then table. ``ops`` has the columns op and triples, and begins with the most frequent
    op.
    """

    tables: pa.Table
    ops: pa.Table


@dataclass(frozen=True, kw_only=True)
class Header:
    """The fields that every result of a question has."""

    generation: int
    time: str
    """When the generation was committed, in ISO 8601."""
    seconds: dict[str, float]
    """The duration of each step, and the whole duration as ``total``."""


@dataclass(frozen=True, kw_only=True)
class ItemHeader(Header):
    """A result about one item in one direction."""

    item: str
    table: str
    direction: Direction
    method: Method
    why: str
    """A sentence that says why this method was chosen."""


@dataclass(frozen=True, kw_only=True)
class FoundRows(Header):
    """A result with items and triples."""

    complete: bool
    items: pa.Table
    triples: pa.Table
    read: Read
    erased: int = 0
    """The number of erased items found, before any filter. Erased items are never shown."""


@dataclass(frozen=True, kw_only=True)
class Answer(ItemHeader, FoundRows):
    """The lineage or impact of one item, as of one generation.

    ``items`` has the columns item, table and depth (fewest hops), ordered by depth, then item.
    ``triples`` has src, dst, op and attributes (a JSON object as text). It is ordered by the depth
    of the near end (dst upstream, src downstream), then src, dst, op, attributes. Item names are
    dictionary-encoded: both tables share one Arrow dictionary, so each name is stored once. Table
    names are dictionary-encoded too.
    """

    truncated: str | None
    """The option that cut the answer short: ``limit``, ``depth`` or None."""
    hidden: int = 0
    """The number of items found that are not shown because of a filter or a limit."""
    links: int = 0
    """The number of triples found that lead from or to an erased item."""
    counts: Counts | None = None
    """The counts of a summary, in which ``items`` and ``triples`` are empty; otherwise None."""
