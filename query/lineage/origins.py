"""Find the origins of an item: the sources that it was derived from, by table."""

from dataclasses import dataclass

import pyarrow as pa

from provhouse.model.answer import Header, Read
from provhouse.model.columns import ITEM, TABLE
from provhouse.model.operations import Weakest
from provhouse.model.question import Question

from .ask import Asker


@dataclass(frozen=True)
class TableOrigins:
    """The sources of an item in one table."""

    table: str
    """The name of the table; empty for sources without a table."""
    items: int
    """The number of sources in this table."""
    first: tuple[str, ...]
    """The first sources, by name."""


@dataclass(frozen=True, kw_only=True)
class Origins(Header):
    """The sources of an item: the items of its lineage that are not derived from any item."""

    item: str
    sources: int
    """The number of all sources."""
    tables: tuple[TableOrigins, ...]
    """A row for each table, by name."""
    erased: int
    """The number of erased items on the paths, which are not counted as sources."""
    complete: bool
    read: Read
    exactness: Weakest | None
    """The weakest exactness on the paths from the sources, as in ``Answer``."""
    exactness_triples: dict[str, int]


def origins(asker: Asker, item: str, limit: int) -> Origins:
    """Return the sources of an item by table, with up to ``limit`` names for each table.

    If the item is itself a source, the result is empty. Raises NotFound if the item is not stored.
    """
    answer = asker.answer(Question(item, "upstream", ends=True))
    return Origins(
        item=answer.item,
        sources=answer.items.num_rows,
        tables=_by_table(answer.items, limit),
        erased=answer.erased,
        complete=answer.complete,
        read=answer.read,
        exactness=answer.exactness,
        exactness_triples=answer.exactness_triples,
        generation=answer.generation,
        time=answer.time,
        seconds=answer.seconds,
        samples=answer.samples,
    )


def _by_table(items: pa.Table, limit: int) -> tuple[TableOrigins, ...]:
    """Return the items, sorted by table. Strings are decoded first, because Arrow requires it."""
    plain = pa.table({name: items[name].cast(pa.string()) for name in (TABLE, ITEM)})
    ordered = plain.sort_by([(TABLE, "ascending"), (ITEM, "ascending")])
    found = ordered.group_by(TABLE, use_threads=False).aggregate([(ITEM, "list")])
    return tuple(
        TableOrigins(table or "", len(names), tuple(names.values[:limit].to_pylist()))
        for table, names in zip(found[TABLE].to_pylist(), found[f"{ITEM}_list"], strict=True)
    )
