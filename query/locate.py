"""Find the number of the item that a question names, and check the tables in its filters."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from provhouse.model.arrays import ItemNumber, ItemNumbers
from provhouse.model.errors import NotFound, UsageError
from provhouse.store.tables.snapshot import Snapshot

from .deleted import check_newest
from .passed_samples import sample_note, samples_named
from .suggest import close_matches, similar_names


@dataclass(frozen=True)
class Located:
    """The items that a question is about, and their names: one item, or all versions of a row."""

    numbers: ItemNumbers
    names: tuple[str, ...]

    @property
    def first(self) -> ItemNumber:
        """The number of the item itself if it is stored, else the number of its newest version."""
        return ItemNumber(int(self.numbers[0]))


def locate_versions(
    snapshot: Snapshot, item: str, *, every: bool = False, suggest: bool = True
) -> Located:
    """Return an item, or else its newest version; if ``every``, the item and all its versions.

    Versions of a stored item are looked up only if ``every`` is true. Raises NotFound if nothing is
    stored; the error suggests similar names if ``suggest`` is true. If ``every`` is false, also
    raises NotFound if a later captured write has deleted the row, or has a sample without the row.
    """
    number = int(snapshot.locate(pa.array([item], pa.string()))[0])
    found = [(number, item)] if number >= 0 else []
    if every or not found:
        newest_first = [*reversed(snapshot.names.versions(item))]
        if newest_first and not every:
            samples = samples_named(snapshot, item)
            newest = newest_first[0].version
            check_newest(snapshot.layout, snapshot.commit, item, newest, samples)
        found += [(version.item, version.name) for version in newest_first]
    if not found:
        raise NotFound(
            f"Item {item!r} is not in generation {snapshot.commit.generation}",
            f"None of its {snapshot.commit.totals.items:,} items has that name"
            + sample_note(snapshot, item),
            _remedy(similar_names(snapshot.names, item) if suggest else []),
        )
    kept = found if every else found[:1]
    numbers = ItemNumbers(np.array([number for number, _ in kept], np.int64))
    return Located(numbers, tuple(name for _, name in kept))


def _remedy(others: list[str]) -> str:
    if not others:
        return "Names must match exactly; run `provhouse find TEXT --anywhere` to search by a part"
    *first, last = map(repr, others)
    named = f"{', '.join(first)} and {last}" if first else last
    return f"Similar names: {named}; run `provhouse find TEXT --anywhere` to search for more"


def check_tables(named: Iterable[str], snapshot: Snapshot) -> None:
    """Raise UsageError for a table without items, because an empty answer would be misleading.

    The empty name stands for items without a table.
    """
    wanted = sorted(set(named) - {""})
    unknown = sorted(set(wanted).difference(snapshot.tables)) if wanted else []
    if unknown:
        near = close_matches(unknown[0], snapshot.tables) or snapshot.tables[:5]
        raise UsageError(
            f"There is no table {unknown[0]!r}",
            "No item belongs to a table of that name",
            f"Tables include {', '.join(map(repr, near))}" if near else "",
        )
