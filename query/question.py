"""A question: whose lineage or impact, and how much of it."""

from dataclasses import dataclass
from typing import Literal

Direction = Literal["upstream", "downstream"]
Method = Literal["auto", "rq", "ccprov", "csprov"]


@dataclass(frozen=True)
class Question:
    """What is asked of one item; everything but the item and the direction may be left out."""

    item: str
    direction: Direction
    method: Method = "auto"
    depth: int | None = None
    """At most so many hops away."""
