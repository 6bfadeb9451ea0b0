"""The types of the results that `crossfilter.py` writes."""

from typing import TypedDict

from benchmarks.shared.results import ResultsFile, Run


class Spread(TypedDict):
    """The milliseconds from a movement of a brush to all bars, with a number of brushes."""

    way: str
    brushes: int
    view: str
    """The view whose brush moves."""
    p50: float
    p95: float
    max: float


class Drawn(TypedDict):
    """The milliseconds from a movement of the mouse to the frame that shows it, in Chromium."""

    view: str
    """The view whose brush moves; the views before it have brushes."""
    brushes: int
    frames: int
    p50: float
    p95: float
    max: float


class Data(TypedDict):
    """One data set: the number of bars of each view, and what was measured."""

    name: str
    bars: dict[str, int]
    spreads: list[Spread]
    bytes: dict[str, int]
    """The memory of each contender."""
    seconds: dict[str, float]
    """The time to build it."""
    read_ms: float
    """The time that one thread needs at least to read the bars of all rows once."""
    drawn: list[Drawn]


class OneRun(Run):
    """The measurements of one number of rows."""

    rows: int
    bandwidth: float
    """Gigabytes a second that one thread reads."""
    data: list[Data]


class Results(TypedDict):
    """The last run of each number of rows."""

    runs: list[OneRun]


RESULTS = ResultsFile[Results]("crossfilter.json")
