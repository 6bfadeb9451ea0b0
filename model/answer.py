"""An answer: the items and triples that were found, and what was read to find them."""

from dataclasses import dataclass

import pyarrow as pa

from .question import Direction, Method


@dataclass(frozen=True)
class Read:
    """How much a method read, before it kept only the rows of the answer."""

    sets: int
    partitions: int
    triples: int


@dataclass(frozen=True)
class Counts:
    """The number of items of each table, and of triples of each op, in an answer.

    ``tables`` has the columns table, items, nearest and farthest (hops), ordered by nearest, then
    table; ``ops`` has op and triples, the most frequent first.
    """

    tables: pa.Table
    ops: pa.Table


@dataclass(frozen=True)
class Answer:
    """The lineage or impact of one item, as of one generation.

    ``items`` has the columns item, table and depth (fewest hops), ordered by depth, then item.
    ``triples`` has src, dst, op and attributes (a JSON object as text), ordered by the depth of the
    near end, then src, dst, op, attributes. Names of items are codes (Arrow's dictionaries) of one
    array that both tables share, so that each stands there once; those of tables are codes, too.
    """

    item: str
    table: str
    direction: Direction
    method: Method
    why: str
    """Why this method was taken, as a sentence for people."""
    generation: int
    time: str
    complete: bool
    truncated: str | None
    items: pa.Table
    triples: pa.Table
    read: Read
    seconds: dict[str, float]
    hidden: int = 0
    """How many items were found that filters and limit do not show."""
    erased: int = 0
    """How many items were found that were erased, before any filter; nothing shows these."""
    links: int = 0
    """How many triples were found that lead from or to one of these."""
    counts: Counts | None = None
    """Where a summary was asked for; ``items`` and ``triples`` are empty then."""
