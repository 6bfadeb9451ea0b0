"""The form of `results/sets.json`."""

from typing import TypedDict

from form import SeededRun


class Reads(TypedDict):
    """The number of triples that questions in one direction read.

    ``partitions`` and ``share`` are medians: the number of partitions read, and their share of the
    component's triples.
    """

    mean: float
    median: float
    p95: float
    partitions: float
    share: float


class Cut(TypedDict):
    """One way to cut, its figures, and the seconds in which it was found."""

    cut: str
    sets: int
    dependencies: int
    up: Reads
    down: Reads
    seconds: float | None


class Group(TypedDict):
    """Tables whose derivations from each other are within sets, and the number of these sets.

    ``sets_read`` and ``triples_read`` are means over questions upstream.
    """

    tables: dict[str, int]
    items: int
    sets: int
    sets_read: float
    triples_read: float


class Picture(TypedDict):
    """The cut of one component: ordered groups, and pairs of a table and one derived from it."""

    items: int
    triples: int
    groups: list[Group]
    derivations: list[tuple[str, str]]


class MeasuredTrace(TypedDict):
    """The cuts of the large components of one trace, by name; ``asked`` counts questions."""

    name: str
    items: int
    triples: int
    theta: int
    limit: int
    asked: int
    cuts: dict[str, Cut]
    pictures: list[Picture]


class Results(SeededRun):
    """One run."""

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
    """Return the mean number of triples of a question in both directions."""
    return cut["up"]["mean"] + cut["down"]["mean"]


def ratio(each: MeasuredTrace) -> float:
    """Return the mean reads with the ingest's cut, as a multiple of the slow search's."""
    return mean(each["cuts"][PACKED]) / mean(each["cuts"][SLOWLY])
