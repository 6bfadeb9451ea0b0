"""The form of `results/explain.json`, which one script writes and another makes tables from."""

from typing import TypedDict

from form import Machine, Totals


class Asked(TypedDict):
    """One question by CSProv: what it read, and its seconds in all."""

    sets: int
    partitions: int
    triples: int
    seconds: float


class Levels(TypedDict):
    """One question by RQ or CCProv: levels as they were guessed, as they were, and the seconds."""

    method: str
    guessed: int
    levels: int
    seconds: float


class Measured(TypedDict):
    """One run on one warehouse. ``load`` is the machine's mean load over the minute before."""

    date: str
    seed: int
    load: float
    machine: Machine
    versions: dict[str, str]
    warehouse: Totals
    copy_seconds: float
    by_sets: list[Asked]
    by_levels: list[Levels]


Results = dict[str, Measured]
"""By what people call the warehouse."""
