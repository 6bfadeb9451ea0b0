"""The form of `results/sets.json`, which one script writes and another makes tables from."""

from typing import TypedDict

from form import SeededRun


class Reads(TypedDict):
    """Triples that questions in one direction read; in the median also how many partitions, and
    which share of their component's triples those hold."""

    mean: float
    median: float
    p95: float
    partitions: float
    share: float


class Cut(TypedDict):
    """One way to cut, what it gives, and how long finding it took."""

    cut: str
    sets: int
    dependencies: int
    up: Reads
    down: Reads
    seconds: float | None


class Group(TypedDict):
    """Tables whose derivations from each other lie within sets; how many sets they are in, and how
    many of those and of their triples a question reads upstream in the mean."""

    tables: dict[str, int]
    items: int
    sets: int
    sets_read: float
    triples_read: float


class Picture(TypedDict):
    """How one component is cut: groups in their order, and which table is derived from which."""

    items: int
    triples: int
    groups: list[Group]
    derivations: list[tuple[str, str]]


class MeasuredTrace(TypedDict):
    """Cuts of the large components of one trace, by name, and how many random items were asked."""

    name: str
    items: int
    triples: int
    theta: int
    limit: int
    asked: int
    cuts: dict[str, Cut]
    pictures: list[Picture]


class Results(SeededRun):
    """One run. ``load`` is the machine's mean load over the minute before it began."""

    bars: dict[str, bool]
    paper: MeasuredTrace
    flights: MeasuredTrace | None
    shapes: list[MeasuredTrace]
    small: list[MeasuredTrace]
    samples: list[MeasuredTrace]


NONE, FOUND, PACKED = "none", "found", "found, packed"
BY_HAND, HAND_PACKED = "by hand", "by hand, packed"
SLOWLY = "searched slowly"


def mean(cut: Cut) -> float:
    """What a question in both directions reads."""
    return cut["up"]["mean"] + cut["down"]["mean"]


def ratio(each: MeasuredTrace) -> float:
    """What the cut that is found reads, as a multiple of what the slow search's does."""
    return mean(each["cuts"][PACKED]) / mean(each["cuts"][SLOWLY])
