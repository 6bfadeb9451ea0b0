"""The types of the results that `capture_memory.py` writes."""

from typing import TypedDict

from benchmarks.shared.results import ResultsFile, Run


class Peak(TypedDict):
    """The largest memory in one session that runs all queries, in megabytes.

    ``spark`` is the anonymous memory of Spark's JVM, which is driver and executor here, ``heap``
    what was left of its heap after a full collection, ``execution`` the largest sum that the tasks
    of one stage have held for sorting, joins and aggregates, and ``driver`` the anonymous memory of
    the Python process.
    """

    spark: int
    heap: int
    execution: int
    driver: int


class Results(Run):
    """The medians of all sessions with plain Spark and with capture."""

    scale: str
    repeats: int
    plain: Peak
    captured: Peak


RESULTS = ResultsFile[Results]("capture_memory.json")
