"""What the forms of several results have in common."""

from typing import TypedDict


class Spread(TypedDict):
    """The middle one and the largest of what was measured."""

    median: float
    max: float


class Machine(TypedDict):
    """What it ran on."""

    cpu: str
    cores: int
    memory_gib: int


class Totals(TypedDict):
    """What the warehouse holds."""

    triples: int
    items: int
    components: int
    sets: int
    set_dependencies: int
