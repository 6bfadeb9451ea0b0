"""The form of `results/fuzz.json`, which one script writes and another makes a table from."""

from typing import TypedDict

from form import Machine


class Target(TypedDict):
    """What became of all inputs of one target; none of them was a defect."""

    target: str
    inputs: int
    seconds: float
    ends: dict[str, int]
    """How many inputs ended in which way."""
    grown_mib: int
    """By how much memory the process at work grew at most."""


class Results(TypedDict):
    """What each target of `make fuzz` recorded when it last ran to its end."""

    date: str
    machine: Machine
    versions: dict[str, str]
    targets: list[Target]
