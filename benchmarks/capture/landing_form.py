"""The types of the results that `capture_landing.py` writes."""

from typing import TypedDict

from benchmarks.shared.results import ResultsFile, Run


class Taken(TypedDict):
    """The costs of bringing triples into a new warehouse, up to the commit.

    ``bytes`` is the size of the files that they are read from.
    """

    triples: int
    bytes: int
    seconds: float
    cpu_seconds: float


class Job(TypedDict):
    """One job, landed from its association files, and ingested from CSV files."""

    job: str
    landed: Taken
    csv: Taken


class Results(Run):
    """All jobs at one scale factor."""

    scale: str
    data: str
    jobs: list[Job]


RESULTS = ResultsFile[Results]("capture_landing.json")
