"""What a question names: the number of its item, and the tables of its filters."""

from collections.abc import Iterable
from difflib import get_close_matches

import pyarrow as pa

from provhouse.model.errors import NotFound, UsageError
from provhouse.store.tables.snapshot import Snapshot

from .suggest import similar_names


def locate(snapshot: Snapshot, item: str, *, suggest: bool = True) -> int:
    """The item's number; raises NotFound, which names others like it if ``suggest``."""
    number = int(snapshot.names.locate(pa.array([item], pa.string()))[0])
    if number < 0:
        raise NotFound(
            f"The item {item!r} should be held",
            f"It is none of the {snapshot.commit.totals.items:,} items",
            _remedy(similar_names(snapshot.names, item) if suggest else []),
        )
    return number


def _remedy(others: list[str]) -> str:
    if not others:
        return "Names are compared letter by letter; `provhouse find` looks for parts of them"
    *first, last = map(repr, others)
    named = f"{', '.join(first)} and {last}" if first else last
    return f"There {'is' if not first else 'are'} {named}; `provhouse find` looks for more"


def check_tables(named: Iterable[str], snapshot: Snapshot) -> None:
    """Raise UsageError for one that no item is in: an empty answer would say something else.

    The empty name stands for items without a table.
    """
    wanted = sorted(set(named) - {""})
    unknown = sorted(set(wanted).difference(snapshot.tables)) if wanted else []
    if unknown:
        near = get_close_matches(unknown[0], snapshot.tables) or snapshot.tables[:5]
        raise UsageError(
            "A filter should name a table that items are in",
            f"No item is in {unknown[0]!r}",
            f"Tables are for instance {', '.join(map(repr, near))}" if near else "",
        )
