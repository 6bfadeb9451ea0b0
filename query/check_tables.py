"""Tables that a question names."""

from collections.abc import Iterable
from difflib import get_close_matches

from provhouse.model.errors import UsageError
from provhouse.store.tables.snapshot import Snapshot


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
