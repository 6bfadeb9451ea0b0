"""The form of `results/builds.json`, which one script writes and another makes a table from."""

from typing import TypedDict

from form import Machine


class Phase(TypedDict):
    """Seconds of each pair, and the ratio after/before with its interval."""

    before: list[float]
    after: list[float]
    ratio: float
    low: float
    high: float


class Results(TypedDict):
    """One run; ``load`` is the mean load of the machine over the minute before."""

    date: str
    seed: int
    load: float
    machine: Machine
    versions: dict[str, str]
    builds: dict[str, str]
    """The commits that were compared."""
    trace: str
    items: int
    phases: dict[str, Phase]
