"""An answer: the items and triples that were found, and what was read to find them."""

from dataclasses import dataclass

import pyarrow as pa

from .question import Direction, Method


@dataclass(frozen=True)
class Read:
    """How much a method read, before it kept only what belongs to the answer."""

    sets: int
    partitions: int
    triples: int


@dataclass(frozen=True)
class Counts:
    """How much an answer holds.

    ``tables`` has the columns table, items, nearest and farthest (hops), ordered by nearest, then
    table; ``ops`` has op and triples, the most frequent first.
    """

    tables: pa.Table
    ops: pa.Table


@dataclass(frozen=True, kw_only=True)
class Result:
    """What every result of a question begins with."""

    generation: int
    time: str
    """When the generation was committed, in ISO 8601."""
    seconds: dict[str, float]
    """How long each step took, and ``total``."""


@dataclass(frozen=True, kw_only=True)
class ItemResult(Result):
    """A result about one item in one direction, and the method that was chosen for it."""

    item: str
    table: str
    direction: Direction
    method: Method
    why: str
    """Why this method was chosen, as a sentence for people."""


@dataclass(frozen=True, kw_only=True)
class RowsResult(Result):
    """A result that has items and triples, and how much was read to find them."""

    complete: bool
    items: pa.Table
    triples: pa.Table
    read: Read
    erased: int = 0
    """How many of the items found were erased; nothing shows these."""


@dataclass(frozen=True, kw_only=True)
class Answer(ItemResult, RowsResult):
    """The lineage or impact of one item, as of one generation.

    ``items`` has the columns item, table and depth (fewest hops), ordered by depth, then item.
    ``triples`` has src, dst, op and attributes (a JSON object as text), ordered by the depth of the
    near end, then src, dst, op, attributes. Names of items are codes (Arrow's dictionaries) of one
    array that both tables share, so that each stands there once; those of tables are codes, too.
    """

    truncated: str | None
    hidden: int = 0
    """How many items were found that filters and limit do not show."""
    links: int = 0
    """How many triples were found that lead from or to one of these."""
    counts: Counts | None = None
    """Where a summary was asked for; ``items`` and ``triples`` are empty then."""
