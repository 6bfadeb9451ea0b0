"""The types of the results that `hard.py` writes."""

from benchmarks.shared.results import Percentiles, Run, Totals


class Asked(Percentiles):
    """Questions in one direction: their times in seconds, and what they read on average.

    ``read`` is the part of all triples that a question reads. ``answered`` is the part of all
    triples that are in its answer.
    """

    read: float
    answered: float


class HardRun(Run, Totals):
    """One trace: its ingest, the size of its warehouse, and questions to its server."""

    seconds: dict[str, float]
    """The seconds of each step of the ingest, by its name."""
    wall_seconds: float
    """The time of the complete command."""
    bytes: dict[str, int]
    questions: int
    asked: dict[str, Asked]


Results = dict[str, HardRun]
"""The results by the name of the trace's shape."""
