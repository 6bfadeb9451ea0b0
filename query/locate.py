"""The number of an item, and names like it where there is none."""

import pyarrow as pa

from provhouse.model.errors import NotFound
from provhouse.store.tables.snapshot import Snapshot

from .suggest import near


def locate(snapshot: Snapshot, item: str, *, suggest: bool = True) -> int:
    """The item's number; raises NotFound, which names others like it if ``suggest``."""
    number = int(snapshot.names.locate(pa.array([item], pa.string()))[0])
    if number < 0:
        raise NotFound(
            f"The item {item!r} should be held",
            f"It is none of the {snapshot.commit.totals.items:,} items",
            _remedy(near(snapshot.names, item) if suggest else []),
        )
    return number


def _remedy(others: list[str]) -> str:
    if not others:
        return "Names are compared letter by letter; `provhouse find` looks for parts of them"
    *first, last = map(repr, others)
    named = f"{', '.join(first)} and {last}" if first else last
    return f"There {'is' if not first else 'are'} {named}; `provhouse find` looks for more"
