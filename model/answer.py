"""An answer: the items and triples found, and the amount of data read to find them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import pyarrow as pa

from .arrays import SetId
from .operations import Weakest
from .question import Direction, Method
from .samples import Sample


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
    samples: tuple[Sample, ...] = ()
    """Samples through which paths may lead. The result lacks the rows outside of these samples."""


@dataclass(frozen=True, kw_only=True)
class ItemHeader(Header):
    """A result about one item, either upstream or downstream."""

    item: str
    table: str
    direction: Direction
    method: Method
    why: str
    """A sentence that says why this method was chosen."""
    set_id: SetId
    """The id of the item's connected set."""


@dataclass(frozen=True, kw_only=True)
class FoundRows(Header):
    """A result with items and triples."""

    complete: bool
    items: pa.Table
    triples: pa.Table
    read: Read
    erased: int = 0
    """The number of erased items found, before any filter. Erased items are never shown."""
    exactness: Weakest | None = None
    """The weakest exactness on the paths to the items; None if no op on them declares one."""
    exactness_triples: dict[str, int] = field(default_factory=dict)
    """The number of triples on these paths by exactness, strongest first; empty if undeclared."""


@dataclass(frozen=True)
class MissingKeys:
    """Attribute keys in a question that no found triple has, and keys that found triples have."""

    missing: tuple[str, ...]
    present: tuple[str, ...]
    """The keys of a sample of the triples found, in alphabetical order."""


ColumnRole = Literal["value", "influence", "unknown"]
"""The role of a table for a column: it gives values, only decides on rows, or is unknown."""


@dataclass(frozen=True)
class Influence:
    """A column that influences another column without being part of its value."""

    column: str
    roles: tuple[str, ...]
    """The uses of the column: ``filter``, ``group``, ``join``, ``order`` or ``window``."""


@dataclass(frozen=True)
class TableColumns:
    """The columns of one table that a column of a captured write was made from."""

    table: str
    items: int
    """The number of items of the table in the answer."""
    role: ColumnRole
    values: tuple[str, ...]
    """The columns whose values the asked column was computed from."""
    influence: tuple[Influence, ...]
    """The columns that decided on the rows behind the asked column."""


@dataclass(frozen=True, kw_only=True)
class Answer(ItemHeader, FoundRows):
    """The lineage or impact of one item, as of one generation.

    ``items`` has the columns item, table and depth (fewest hops), ordered by depth, then item. It
    also has a column named ``set`` if the question asked for sets.
    ``triples`` has src, dst, op and attributes (a JSON object as text). It is ordered by the depth
    of the near end (dst upstream, src downstream), then src, dst, op, attributes. Item names are
    dictionary-encoded: both tables share one Arrow dictionary, so each name is stored once. Table
    names are dictionary-encoded too.
    """

    truncated: str | None
    """The option that cut the answer short: ``limit``, ``depth`` or None."""
    hidden: int = 0
    """The number of items found that a filter or a limit hides."""
    links: int = 0
    """The number of triples found that lead from or to an erased item."""
    missing_keys: "MissingKeys | None" = None
    """Keys of ``where`` that no triple found has; None if each key is in some triple."""
    counts: Counts | None = None
    """The counts if the question asked for a summary; ``items`` and ``triples`` are then empty."""
    versions: tuple[str, ...] = ()
    """The names that the question used instead of ``item``: the newest version, or all."""
    column: str | None = None
    """The column that the question named, as in ``report/AA.delay``; ``item`` is the row."""
    columns: tuple[TableColumns, ...] = ()
    """The role of each table of the answer for ``column``."""


@dataclass(frozen=True, kw_only=True)
class LargeAnswer(ItemHeader):
    """An answer with millions of rows, to be read once. Rows get their names when they are read.

    ``items`` and ``triples`` yield Arrow tables with the columns of ``Answer``: items in the order
    of depth, triples in the order of the near end's depth. Rows of one depth have no particular
    order. All items must be read before the first triple.
    """

    complete: bool
    read: Read
    erased: int
    truncated: str | None
    count: int
    """The number of items."""
    sets: bool
    """Whether ``items`` has a column named ``set``."""
    versions: tuple[str, ...] = ()
    """The names that the question used instead of ``item``, as in ``Answer``."""
    items: Iterator[pa.Table]
    triples: Iterator[pa.Table]
