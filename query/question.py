"""A question: whose lineage or impact, and how much of it."""

from dataclasses import dataclass
from typing import Literal

Direction = Literal["upstream", "downstream"]
Method = Literal["auto", "rq", "ccprov", "csprov"]
AsOf = int | str
"""The number of a generation, or a time in ISO 8601."""


@dataclass(frozen=True)
class Question:
    """What is asked of one item; everything but the item and the direction may be left out."""

    item: str
    direction: Direction
    method: Method = "auto"
    depth: int | None = None
    """At most so many hops away."""
    as_of: AsOf | None = None
    """The generation that is asked, None the current one; it takes an ``Asker`` of its own."""
