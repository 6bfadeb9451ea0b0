"""The form of `results/components.json`, which one script writes and another makes tables from."""

from typing import TypedDict

from form import SeededRun, Spread


class Trial(TypedDict):
    """One contender, once, in a process of its own. ``peak`` is how many bytes its memory grew by
    above the interpreter and the input; ``partition`` is the same for the same components."""

    build: float
    solve: float
    peak: int
    components: int
    partition: str


class ContenderTimes(TypedDict):
    """All runs of one contender: seconds for its graph, for the components, and for both."""

    build: Spread
    solve: Spread
    total: Spread
    bytes_an_item: float


class Measurement(TypedDict):
    """One trace; a contender that failed, as for want of memory, has none."""

    trace: str
    items: int
    edges: int
    components: int
    contenders: dict[str, ContenderTimes | None]


class Results(SeededRun):
    """One measurement. ``load`` is the machine's mean load over the minute before it began."""

    repetitions: int
    bars: dict[str, bool]
    traces: list[Measurement]


OURS, SCIPY = "provhouse", "scipy"
BYTES_AN_ITEM = 8
"""What ours may need."""


def times(trace: Measurement, name: str) -> float:
    """The time of a contender as a multiple of ours; raises KeyError if either failed."""
    mine, other = trace["contenders"][OURS], trace["contenders"][name]
    if mine is None or other is None:
        raise KeyError(name)
    return other["total"]["median"] / mine["total"]["median"]
