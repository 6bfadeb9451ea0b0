"""A retraction as a person reads it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from .table import counted, steps

if TYPE_CHECKING:
    from provhouse.changes.retract import Retraction


def headline(retraction: "Retraction") -> Text:
    """What ended with which generation."""
    if not retraction.committed:
        return Text("Nothing is left of it to retract; what is held is as it was before.", "bold")
    ended = counted(retraction.ended, "triple")
    return Text(f"Generation {retraction.generation}: {ended} ended.", "bold")


def facts(retraction: "Retraction") -> Iterator[tuple[str, str]]:
    """What stays, and how long it took."""
    if retraction.kept:
        yield "kept", f"{counted(retraction.kept, 'triple')} that another file or run brought too"
    yield "triples", f"{retraction.triples:,} held"
    yield "time", steps(retraction.seconds)
