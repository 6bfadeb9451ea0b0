"""The form of `results/worst.json`, which one script writes and another makes tables from."""

from typing import TypedDict

from form import Machine, Totals


class Worst(TypedDict):
    """The questions with the largest answers of one shape, in one direction; medians.

    ``plain_seconds`` are those of a Spark job that reads the triples of the same partitions from
    the Delta table and does nothing else.
    """

    direction: str
    asked: int
    items: float
    depth: float
    sets: float
    partitions: float
    triples: float
    seconds: dict[str, float]
    plain_seconds: float


class Shape(TypedDict):
    """One shape and what its warehouse holds."""

    shape: str
    warehouse: Totals
    questions: list[Worst]


class Results(TypedDict):
    """One run. ``load`` is the machine's mean load over the minute before it began."""

    date: str
    seed: int
    load: float
    machine: Machine
    versions: dict[str, str]
    shapes: list[Shape]
