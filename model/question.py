"""A question: whose lineage or impact, and how much of it."""

from dataclasses import dataclass
from typing import Literal

Direction = Literal["upstream", "downstream"]
Method = Literal["auto", "rq", "ccprov", "csprov"]
AsOf = int | str
"""The number of a generation, or a time in ISO 8601."""


@dataclass(frozen=True)
class Question:
    """What is asked of one item; everything but the item and the direction may be left out.

    ``docs/questions.md`` says what each filter means and how they go together.
    """

    item: str
    direction: Direction
    method: Method = "auto"
    depth: int | None = None
    """At most so many hops away."""
    through: str | None = None
    """Only what lies on ways that pass an item of this table."""
    tables: tuple[str, ...] = ()
    """Only items of one of these tables; an empty name is no table."""
    ops: tuple[str, ...] = ()
    """Only triples with one of these ops."""
    where: tuple[tuple[str, str], ...] = ()
    """Only triples with these attributes: of each key named, one of its values."""
    ends: bool = False
    """Only items at which all ways end: upstream sources, downstream sinks."""
    limit: int | None = None
    """At most so many items, the nearest."""
    summary: bool = False
    """Counts instead of items and triples."""
    as_of: AsOf | None = None
    """The generation that is asked, None the current one; it takes an ``Asker`` of its own."""
