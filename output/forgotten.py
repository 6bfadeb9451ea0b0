"""An erasure as a person reads it: numbers, and never a name."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from .table import counted, steps

if TYPE_CHECKING:
    from provhouse.changes.forget import Forgotten


def headline(forgotten: "Forgotten") -> Text:
    """How many names went."""
    return Text(f"{counted(forgotten.names, 'name')} erased from all that is held.", "bold")


def facts(forgotten: "Forgotten") -> Iterator[tuple[str, str]]:
    """What they were names of, and what else went."""
    yield "items", f"{forgotten.items:,} without a name now"
    yield "triples", f"{forgotten.triples:,} of them, which tell nothing any more"
    if forgotten.rejected:
        yield "rejected", f"{counted(forgotten.rejected, 'row')} emptied"
    if forgotten.neo4j:
        yield "Neo4j", "made anew"
    yield "time", steps(forgotten.seconds)
