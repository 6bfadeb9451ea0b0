"""The types of the results that `interactive.py` writes."""

from typing import TypedDict

from benchmarks.shared.results_file import ResultsFile, Run


class Times(TypedDict):
    """Milliseconds of processor time (``cpu``, all threads together) and of wall-clock time."""

    cpu: float
    wall: float


class Query(TypedDict):
    """The times of a query of TPC-H: plain, with lineage on demand, and with lineitem captured."""

    query: str
    plain: Times
    witness: Times
    anchor: Times | None
    planning: Times
    """The times to plan SQL that was not planned before."""
    one_row: Times | None
    """The times to find the records of the first row by a witness query."""
    hot_row: Times | None
    """The times to find the records of a row once the lineage of all rows is indexed."""
    hot_rids: Times | None
    """The times to find the rows made of 1,000 records once the lineage is indexed."""


class Contender(TypedDict):
    """One way to find the records of lineitem that the first row of a query was made of."""

    query: str
    way: str
    capture: Times
    """The times of the query, including the work that the way adds to it."""
    lineage: Times
    """The times of the first question."""
    records: int
    same: bool
    """Whether the records equal those that provhouse found."""


class Consuming(TypedDict):
    """A query over the records of one row. ``share`` is the records' share of the table."""

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
    """Milliseconds to link two results, and to highlight rows of one by rows of the other."""

    charts: str
    made_ms: float
    p50: float
    p95: float
    max: float


class Dependency(TypedDict):
    """Times to find the rows that violate a functional dependency: by a check, and by SQL."""

    violations: int
    records: int
    checked: Times
    by_hand: Times


class Results(Run):
    """One run of all parts. A part without results has not been measured yet."""

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
