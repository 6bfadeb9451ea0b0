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
    """The fields that the result of every question has."""

    generation: int
    time: str
    """When the generation was committed, in ISO 8601."""
    seconds: dict[str, float]
    """The duration of each step, and the total duration as ``total``."""
    samples: tuple[Sample, ...] = ()
    """Samples through which paths may lead. Rows outside of them are not in the result."""


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
    """The number of erased items found, counted before any filter. Erased items are never shown."""
    exactness: Weakest | None = None
    """The weakest exactness on the paths to the items; None if no op on the paths declares one."""
    exactness_triples: dict[str, int] = field(default_factory=dict)
    """The number of triples on the paths to the items, by exactness, strongest first.

    Empty if no exactness is known.
    """


@dataclass(frozen=True)
class MissingKeys:
    """Attribute keys in a question that no found triple has, and keys that found triples have."""

    missing: tuple[str, ...]
    present: tuple[str, ...]
    """The keys of a sample of the triples found, in alphabetical order."""


ColumnRole = Literal["value", "influence", "unknown"]
"""A table's role for a column: to provide values, only to decide which rows exist, or unknown."""


@dataclass(frozen=True)
class Influence:
    """A column that influences another column without being part of its value."""

    column: str
    roles: tuple[str, ...]
    """The uses of the column: ``filter``, ``group``, ``join``, ``order`` or ``window``."""


@dataclass(frozen=True)
class TableColumns:
    """The columns of one table from which a column of a captured write was computed."""

    table: str
    items: int
    """The number of the table's items in the answer."""
    role: ColumnRole
    values: tuple[str, ...]
    """The columns from whose values the asked column was computed."""
    influence: tuple[Influence, ...]
    """The columns that decided which rows are behind the asked column."""


@dataclass(frozen=True, kw_only=True)
class Answer(ItemHeader, FoundRows):
    """The lineage or impact of one item, as of one generation.

    ``items`` has the columns item, table and depth (fewest hops), ordered by depth, then item. It
    also has a column named ``set`` if the question asked for sets. ``triples`` has src, dst, op and
    attributes (a JSON object as a string). It is ordered by the depth of the near end (dst
    upstream, src downstream), then src, dst, op, attributes. Item names are dictionary-encoded:
    both tables share one Arrow dictionary, so each name is stored once. Table names are
    dictionary-encoded too.
    """

    truncated: str | None
    """The option that limited the answer: ``limit``, ``depth`` or None."""
    hidden: int = 0
    """The number of found items that a filter or a limit hides."""
    links: int = 0
    """The number of found triples from or to an erased item."""
    missing_keys: "MissingKeys | None" = None
    """Keys of ``where`` that no found triple has; None if each key occurs in a triple."""
    counts: Counts | None = None
    """The counts if the question asked for a summary; otherwise None.

    If there are counts, ``items`` and ``triples`` are empty.
    """
    versions: tuple[str, ...] = ()
    """The names that the question used instead of ``item``: the newest version, or all versions."""
    column: str | None = None
    """The column that the question named, such as ``delay`` for ``report/AA.delay``.

    In this case, ``item`` is the row.
    """
    columns: tuple[TableColumns, ...] = ()
    """The role of each table in the answer for ``column``."""


@dataclass(frozen=True, kw_only=True)
class LargeAnswer(ItemHeader):
    """An answer with millions of rows, which can be read only once.

    The names of rows are looked up when the rows are read.

    ``items`` and ``triples`` yield Arrow tables with the columns of ``Answer``: items in the order
    of depth, triples in the order of the near end's depth. Rows of the same depth are in no
    particular order. Read all items before the first triple.
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
