"""The generations of a warehouse as a person reads them: a line each, the newest last."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from .table import grid

if TYPE_CHECKING:
    from provhouse.query.generations import Generation

_NEW = ("new triples", "new items", "rejected", "ended")
_HELD = ("triples", "items", "base")


def listing(generations: "Sequence[Generation]") -> Table:
    """When each came, by what, what it brought and what it holds."""
    table = grid("generation", "time", "change", right=(*_NEW, *_HELD))
    for one in generations:
        brought = [getattr(one, name.replace(" ", "_")) for name in _NEW]
        table.add_row(
            Text(f"{one.generation} (current)" if one.current else f"{one.generation}"),
            Text(one.time.replace("+00:00", "Z")),
            Text(_change(one)),
            *(Text(f"{count:,}" if count else "-") for count in brought),
            *(f"{getattr(one, name):,}" for name in _HELD),
        )
    return table


def _change(one: "Generation") -> str:
    if one.change != "rollback":
        return one.change
    if one.back_to is None:
        return "rollback to a pruned one"
    return f"rollback to {one.back_to}" if one.back_to else "rollback to nothing"
