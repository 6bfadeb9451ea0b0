"""The form of `results/time_left.json`, which one script writes and another makes a table from."""

from typing import TypedDict

from form import Machine


class Step(TypedDict):
    """A step of an ingest: what it took, and how wrong the times were that it was said to take.

    ``median`` and ``most`` are parts of what it took, of all ``told`` times after its first
    quarter.
    """

    step: str
    seconds: float
    told: int
    median: float
    most: float


class Results(TypedDict):
    """One ingest of so many copies of the paper's trace."""

    date: str
    machine: Machine
    copies: int
    seconds: float
    steps: list[Step]
