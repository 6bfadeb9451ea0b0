"""The form of `results/enter.json`, which one script writes and another makes a table from."""

from typing import TypedDict

from form import Machine

SERVED = "with the server, nothing kept decoded"


class Times(TypedDict):
    """Seconds of some commands, from Enter to the end of the answer."""

    commands: int
    p50: float
    p95: float


class Results(TypedDict):
    """One run; ``load`` is the machine's mean load over the minute before."""

    date: str
    seed: int
    load: float
    machine: Machine
    versions: dict[str, str]
    triples: int
    took: dict[str, Times]
