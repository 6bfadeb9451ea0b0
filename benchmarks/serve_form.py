"""The form of `results/serve.json`, which one script writes and another makes tables from."""

from typing import TypedDict

from form import Machine


class Phase(TypedDict):
    """So many clients for so long; CPU in cores, megabytes before, every half minute, and after."""

    name: str
    clients: int
    seconds: float
    answers_per_second: float
    megabytes_per_second: float
    statuses: dict[str, int]
    milliseconds: dict[str, dict[str, float]]
    client_cpu: float
    server_cpu: float
    megabytes: list[int]


class Results(TypedDict):
    """One run; ``load`` is the machine's mean load over the minute before."""

    date: str
    seed: int
    load: float
    machine: Machine
    versions: dict[str, str]
    triples: int
    start_seconds: float
    phases: list[Phase]
