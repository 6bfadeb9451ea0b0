"""Types that describe the content of `results/sets.json`."""

from typing import TypedDict

from benchmarks.shared.results import SeededRun


class Reads(TypedDict):
    """The amounts that questions in one direction read.

    ``mean``, ``median`` and ``p95`` are numbers of triples. ``partitions`` is the median number of
    partitions read. These partitions contain a share of the component's triples; ``share`` is its
    median.
    """

    mean: float
    median: float
    p95: float
    partitions: float
    share: float


class Cut(TypedDict):
    """One way to cut components into sets, its figures, and the seconds that cutting took."""

    cut: str
    sets: int
    dependencies: int
    up: Reads
    down: Reads
    seconds: float | None


class Group(TypedDict):
    """A group of tables whose derivations from each other are mostly within sets.

    ``tables`` has the number of items of each table. ``sets`` is the number of sets of the group.
    ``sets_read`` and ``triples_read`` are means over questions upstream.
    """

    tables: dict[str, int]
    items: int
    sets: int
    sets_read: float
    triples_read: float


class Picture(TypedDict):
    """The cut of one component: its groups of tables in order, and the derivations between tables.

    A derivation is a pair of a table and another table that derives from it.
    """

    items: int
    triples: int
    groups: list[Group]
    derivations: list[tuple[str, str]]


class MeasuredTrace(TypedDict):
    """The cuts of the large components of one trace. ``asked`` is the number of questions."""

    name: str
    items: int
    triples: int
    theta: int
    limit: int
    asked: int
    cuts: dict[str, Cut]
    pictures: list[Picture]


class Results(SeededRun):
    """The results of one run of `sets.py`."""

    bars: dict[str, bool]
    paper: MeasuredTrace
    flights: MeasuredTrace | None
    shapes: list[MeasuredTrace]
    samples: list[MeasuredTrace]


NONE, FOUND, PACKED = "none", "found", "found, packed"
BY_HAND, HAND_PACKED = "by hand", "by hand, packed"
