"""Find the number of the item that a question names, and check the tables of its filters."""

from collections.abc import Iterable
from difflib import get_close_matches

import pyarrow as pa

from provhouse.model.arrays import ItemNumber
from provhouse.model.errors import NotFound, UsageError
from provhouse.store.tables.snapshot import Snapshot

from .suggest import similar_names


def locate(snapshot: Snapshot, item: str, *, suggest: bool = True) -> ItemNumber:
    """Return the number of an item.

    Raises NotFound if it is not stored; the error suggests similar names if ``suggest``.
    """
    number = int(snapshot.names.locate(pa.array([item], pa.string()))[0])
    if number < 0:
        raise NotFound(
            f"Item {item!r} is not in generation {snapshot.commit.generation}",
            f"None of its {snapshot.commit.totals.items:,} items has that name",
            _remedy(similar_names(snapshot.names, item) if suggest else []),
        )
    return ItemNumber(number)


def _remedy(others: list[str]) -> str:
    if not others:
        return "Names must match exactly; run `provhouse find` to search by a part of a name"
    *first, last = map(repr, others)
    named = f"{', '.join(first)} and {last}" if first else last
    return f"Similar names: {named}; run `provhouse find` to search for more"


def check_tables(named: Iterable[str], snapshot: Snapshot) -> None:
    """Raise UsageError for a table that has no items: an empty answer would mislead.

    The empty name stands for items without a table.
    """
    wanted = sorted(set(named) - {""})
    unknown = sorted(set(wanted).difference(snapshot.tables)) if wanted else []
    if unknown:
        near = get_close_matches(unknown[0], snapshot.tables) or snapshot.tables[:5]
        raise UsageError(
            f"There is no table {unknown[0]!r}",
            "No item is in it",
            f"Tables include {', '.join(map(repr, near))}" if near else "",
        )
