"""The types of the results that `capture_tpcds.py` writes."""

from typing import Literal, TypedDict

from benchmarks.capture.overhead_form import Cost
from benchmarks.shared.results import ResultsFile, Run

Outcome = Literal["equal", "varies", "different", "refused", "failed"]
"""The comparison of the captured result with that of plain Spark.

``varies`` means that two plain results differ as well, for example because of a limit with ties.
``failed`` means that plain Spark fails, for example because it divides by zero.
"""


class Query(TypedDict):
    """The medians of one query; those of a query that was refused or failed are 0."""

    query: str
    outcome: Outcome
    why: str
    rows: int
    nodes: int
    plain: Cost
    captured: Cost
    rewriting_seconds: float


class Results(Run):
    """The queries at one scale factor."""

    scale: str
    repeats: int
    queries: list[Query]


RESULTS = ResultsFile[Results]("capture_tpcds.json")
