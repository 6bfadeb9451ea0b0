"""Find the record of one item: the values of its columns, or the reason why they cannot be read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from provhouse.model.arrays import ItemNumbers
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.layout import Layout

from .locate import locate_versions
from .source_records import records_of


@dataclass(frozen=True)
class LostRecordFile:
    """A file that may have had a record, and its state: ``gone``, ``changed``, ``unreadable``."""

    file: str
    state: str


@dataclass(frozen=True)
class ItemRecord:
    """The record of an item."""

    item: str
    """The name of the item, or of its newest version."""
    table: str
    values: Mapping[str, Any]
    """The values of the item's columns; empty if no record was found."""
    file: str
    """The file with the record; empty if no record was found."""
    lost: tuple[LostRecordFile, ...]
    """The files that may have contained the record, but can no longer be read."""


def item_record(layout: Layout, snapshot: Snapshot, item: str) -> ItemRecord:
    """Return the record of an item. Raises NotFound if the item is not stored."""
    located = locate_versions(snapshot, item)
    name = located.names[0]
    table = snapshot.names.tables(ItemNumbers(located.numbers[:1]))[0].as_py() or ""
    (found,) = records_of(layout, {table: [name]})
    values = found.records[0].values if found.records else {}
    file = str(found.records[0].file) if found.records else ""
    lost = tuple(LostRecordFile(str(each.path), each.state) for each in found.lost)
    return ItemRecord(name, table, values, file, lost)
