"""The types of the results that `what_if.py` writes."""

from typing import TypedDict

from benchmarks.shared.results import SeededRun


class DeletionRun(TypedDict):
    """The deletion of some items: what it reached, and its time after the index was built."""

    deleted: int
    reached: int
    dies: int
    survives: int
    undecided: int
    ms: float


class Deletions(TypedDict):
    """The deletions from one graph, and the time of its index."""

    index_ms: float
    deletions: list[DeletionRun]


class PeerRun(TypedDict):
    """One deletion by the paper's method on objects of a graph package, and by provhouse."""

    peer: str
    triples: int
    dies: int
    theirs_ms: float
    ours_ms: float


class Whole(TypedDict):
    """Complete questions about the items of a class, counts only, with nothing in memory."""

    kind: str
    questions: int
    impact_ms: float
    what_if_ms: float


class AlternativeRun(TypedDict):
    """The values of one aggregate without each of its inputs."""

    function: str
    inputs: int
    chosen_ms: float
    """The time of all alternatives together."""
    one_ms: float
    """The time of one complete what-if deletion of one of them."""


class ZoomRun(TypedDict):
    """A view of one answer; ``fold_ms`` and ``name_ms`` are the times of two of its steps."""

    level: str
    folded: list[str]
    triples: int
    nodes: int
    edges: int
    fold_ms: float
    name_ms: float
    whole_ms: float


class Results(SeededRun, Deletions):
    """All results of one run."""

    triples: int
    inputs: int
    zoomed: int
    alternatives: list[AlternativeRun]
    zooms: list[ZoomRun]
    peers: list[PeerRun]
    whole: list[Whole]
