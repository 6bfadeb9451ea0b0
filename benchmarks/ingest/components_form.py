"""The types of the results that `components.py` writes to `results/components.json`."""

from typing import TypedDict

from benchmarks.shared.results import SeededRun, Spread


class Trial(TypedDict):
    """One run of one contender, in a process of its own.

    ``build`` and ``solve`` are seconds. ``peak`` is the most memory that the process used, in bytes
    beyond the interpreter and the input. ``partition`` is a digest of the components.
    """

    build: float
    solve: float
    peak: int
    components: int
    partition: str


class ContenderTimes(TypedDict):
    """The measurements of one contender in all its runs.

    ``build`` has the seconds for the graph, ``solve`` those for the components, and ``total`` the
    seconds for both.
    """

    build: Spread
    solve: Spread
    total: Spread
    bytes_an_item: float


class Measurement(TypedDict):
    """The figures of one trace.

    A contender that failed, for example because it needed too much memory, is None.
    """

    trace: str
    items: int
    edges: int
    components: int
    contenders: dict[str, ContenderTimes | None]


class Results(SeededRun):
    """The results of one run of `components.py`."""

    repetitions: int
    bars: dict[str, bool]
    traces: list[Measurement]


OURS, SCIPY = "provhouse", "scipy"
BYTES_AN_ITEM = 8
"""The target for provhouse's memory: at most this many bytes for each item."""


def times(trace: Measurement, name: str) -> float:
    """Return a contender's time as a multiple of provhouse's. Raises KeyError if either failed."""
    mine, other = trace["contenders"][OURS], trace["contenders"][name]
    if mine is None or other is None:
        raise KeyError(name)
    return other["total"]["median"] / mine["total"]["median"]
