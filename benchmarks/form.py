"""The form of `results/methods.json`, which one script writes and another makes tables from."""

from typing import TypedDict


class Spread(TypedDict):
    """The middle one and the largest of what was measured."""

    median: float
    max: float


class Measured(TypedDict):
    """What one method took and read for the questions of one class; ``seconds`` in all."""

    seconds: Spread
    triples: Spread
    partitions: Spread


class Answered(TypedDict):
    """How large the answers are; ``depth`` is that of the farthest item."""

    items: Spread
    triples: Spread
    depth: Spread


class Class(TypedDict):
    """Questions whose answer has ``least`` to ``most`` items: those of ``asked`` items, found among
    ``drawn`` that were drawn at random."""

    name: str
    direction: str
    least: int
    most: int
    drawn: int
    asked: int
    answer: Answered
    methods: dict[str, Measured]


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


class Results(TypedDict):
    """One run. ``load`` is the machine's mean load over the minute before it began."""

    date: str
    seed: int
    load: float
    machine: Machine
    versions: dict[str, str]
    warehouse: Totals
    fill_seconds: dict[str, float]
    empty_job_seconds: Spread
    classes: list[Class]
