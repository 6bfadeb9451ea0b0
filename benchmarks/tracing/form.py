"""The types of the results that `tracing.py` writes."""

from typing import TypedDict

from benchmarks.shared.results import ResultsFile, Run


class Steps(TypedDict):
    """Seconds to walk from one row, and from 1,000, to the sources and back, and to show records.

    A time is that from a condition on the rows to the number of what was found.
    """

    back: float
    back_1000: float
    forth: float
    forth_1000: float
    show: float


class Through(Steps):
    """Walks through one program of `programs.py`."""

    program: str
    interface: str
    size: float
    """The size of the text that the program reads, in gigabytes."""
    witnesses: int
    """The source rows of one row of the result."""
    memory_mb: int
    """The growth of this process during the walks."""


class Walk(Steps):
    """Seconds to walk the lineage of one query, and how many rows were found."""

    query: str
    witnesses: int
    """The source rows of one row of the result."""
    cold: float
    """The first walk of one row to its sources, in the session of the job."""
    warehouse: float
    """The lineage of the row, asked of the warehouse's server."""
    memory_mb: int
    """The growth of this process while all rows of the result are walked back."""


class Join(TypedDict):
    """Seconds to find the sources of some rows, by us and by plain shuffle joins of Spark."""

    rows: int
    found: int
    ours: float
    shuffle: float


class Again(TypedDict):
    """Seconds of a replay without one record, and of a run on the table without it."""

    query: str
    replay: float
    reduced: float
    equal: bool


class Fault(TypedDict):
    """The search for the smallest failing input of one planted fault."""

    program: str
    operators: int
    fault: str
    lineage: int
    found: int
    replays: int
    seconds: float
    minimal: bool


class Results(Run):
    """All parts at one scale factor."""

    code: str
    """A digest of the code that was measured."""
    data: str
    scale: str
    repeats: int
    fault_rows: int
    walks: list[Walk]
    joins: list[Join]
    replays: list[Again]
    programs: list[Through]
    faults: list[Fault]


RESULTS: ResultsFile[dict[str, Results]] = ResultsFile("tracing.json")
"""The results by scale factor."""
