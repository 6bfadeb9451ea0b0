"""The types of the results that `interactive.py` writes."""

from typing import TypedDict

from benchmarks.shared.results_file import ResultsFile, Run


class Times(TypedDict):
    """Milliseconds of the processor (``cpu``, all threads together) and of the wall clock."""

    cpu: float
    wall: float


class Query(TypedDict):
    """The times of a query of TPC-H: plain, with lineage on demand, and with lineitem captured."""

    query: str
    plain: Times
    witness: Times
    anchor: Times | None
    planning: Times
    """The times to plan a text that was not seen before."""
    one_row: Times | None
    """The times to find the records of the first row by a witness query."""
    hot_row: Times | None
    """The times to find the records of a row when the lineage of all rows is indexed."""
    hot_rids: Times | None
    """The times to find the rows of 1,000 records when the lineage is indexed."""


class Contender(TypedDict):
    """One way to find the records of lineitem from which the first row of a query was made."""

    query: str
    way: str
    capture: Times
    """The times of the query, with what the way adds to it."""
    lineage: Times
    """The times of the first question."""
    records: int
    same: bool
    """Whether the records are those that provhouse found."""


class Consuming(TypedDict):
    """A query over the records of one row; ``share`` is their share of the table."""

    query: str
    share: float
    way: str
    times: Times


class Groups(TypedDict):
    """The times of a GROUP BY: plain, and with lineage captured in both directions."""

    rows: int
    groups: int
    plain: Times
    captured: Times


class Link(TypedDict):
    """Two linked results: milliseconds to link them, and to highlight one's rows by the other's."""

    charts: str
    made_ms: float
    p50: float
    p95: float
    max: float


class Dependency(TypedDict):
    """A check of a functional dependency with the rows of its violations, and the same by SQL."""

    violations: int
    records: int
    checked: Times
    by_hand: Times


class Results(Run):
    """One run of all parts. A part that is missing was not measured yet."""

    scale: str
    rows: int
    repeats: int
    code: str
    """A digest of the code that was measured."""
    tpch: list[Query]
    contenders: list[Contender]
    missing: str
    """Why a contender was left out."""
    consuming: list[Consuming]
    groups: list[Groups]
    links: list[Link]
    dependencies: list[Dependency]


RESULTS = ResultsFile[Results]("interactive.json")
