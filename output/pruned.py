"""What a prune did as a person reads it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from .table import counted, quantity

if TYPE_CHECKING:
    from provhouse.changes.prune import Pruned


def headline(pruned: "Pruned") -> Text:
    """How many went."""
    went = counted(pruned.pruned, "generation") if pruned.pruned else "No generation"
    return Text(f"{went} went, {quantity(pruned.bytes_freed, 'bytes')} came free.", "bold")


def facts(pruned: "Pruned") -> Iterator[tuple[str, str]]:
    """What is kept, and what will go later."""
    yield "kept", f"generations {pruned.first:,} to {pruned.generation:,}"
    if pruned.in_use:
        bases = ", ".join(f"base {base}" for base in pruned.in_use)
        yield "later", f"{bases}: still read; the next prune or ingest takes it"
