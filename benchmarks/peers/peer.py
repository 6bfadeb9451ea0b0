"""The interface that every contender of `peers.py` implements."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TypedDict

import numpy as np

from benchmarks.shared.measured_command import Ingested
from benchmarks.shared.results_file import Percentiles, SeededRun, Totals
from provhouse.model.arrays import I64
from provhouse.model.columns import DST, SRC
from provhouse.model.errors import TooSlow
from provhouse.model.progress import Stopwatch
from provhouse.model.question import Direction


class ClassQuestions(TypedDict):
    """The questions of one class: the numbers of its items, and the names of the same items."""

    direction: Direction
    items: list[int]
    names: list[str]


class ContenderInput(TypedDict):
    """A contender's input besides the triples.

    ``settings`` are those of the warehouse with the same triples. ``limit`` is the time
    limit for an answer, in seconds.
    """

    settings: dict[str, str]
    limit: float
    questions: list[ClassQuestions]


class AnswerDigest(TypedDict):
    """One answer: the number of its items, without the asked item, and a digest of these items."""

    items: int
    digest: str


class ClassAnswers(TypedDict):
    """One contender's answers to the questions of one class, with the seconds of each.

    If ``late``, the next answer was not complete within the limit, and all further
    questions of the class were skipped. ``named`` has the seconds of answers that include names,
    triples and attributes. It is empty if the contender does not store these.
    """

    answers: list[AnswerDigest]
    late: bool
    seconds: list[float]
    named: list[float]


class ContenderRun(TypedDict):
    """The run of one contender in a process of its own.

    ``load`` has the seconds of each step of loading. ``peak_memory_mb`` covers all processes of the
    contender while it loads the input and answers every question once, before any is timed.
    """

    load: dict[str, float]
    peak_memory_mb: int
    disk_bytes: int
    asked: list[ClassAnswers]


class ClassTimes(TypedDict):
    """One contender's times for one class.

    ``seconds`` is None if an answer exceeded the time limit. ``named`` is None if no answer with
    names was timed.
    """

    seconds: Percentiles | None
    named: Percentiles | None


class ContenderFigures(TypedDict):
    """The figures of one contender. ``took`` has its times, in the order of the classes."""

    load: dict[str, float]
    peak_memory_mb: int
    disk_bytes: int
    took: list[ClassTimes]


class PeersClass(TypedDict):
    """A class of questions. Its ``asked`` items were found among ``tried`` random items.

    ``items`` is the median number of items in an answer.
    """

    name: str
    direction: str
    large: bool
    least: int
    most: int
    tried: int
    asked: int
    items: float


class Compared(SeededRun):
    """The results of one run of `peers.py`, on one number of copies of the trace.

    ``ingest`` has the figures of the ingest into a new warehouse. It is None if the run used an
    existing warehouse. A contender is None if it failed, for example because it ran out of memory
    or its package is missing.
    """

    limit: float
    warehouse: Totals
    ingest: Ingested | None
    classes: list[PeersClass]
    contenders: dict[str, ContenderFigures | None]


Results = dict[str, Compared]
"""The content of `results/peers.json`: runs, keyed by the number of copies of the trace."""


@dataclass(frozen=True)
class Given:
    """The input of a contender, and a folder for its own files."""

    items: Path
    """The Parquet file of items, with the column ``id``."""
    triples: Path
    """The Parquet file of triples, with the columns ``src`` and ``dst``."""
    settings: dict[str, str]
    """The settings of the warehouse that contains the same triples."""
    limit: float
    """The time limit for an answer, in seconds."""
    scratch: Path


class Peer:
    """A contender, which identifies items by number. The caller closes ``stack`` after use."""

    process: int | None = None
    """The ID of the process whose memory counts as the contender's.

    It need not be a child of this process.
    """

    def __init__(self, given: Given) -> None:
        self.given = given
        self.storage = given.scratch
        """The files whose size counts: those the contender stores, or reads at each start."""
        self.watch = Stopwatch()
        """The times of the steps in which the contender loads its input."""
        self.stack = ExitStack()
        """The resources that are closed after use."""
        self.late = Event()
        """Set when the time limit of the question has passed."""

    def load(self) -> None:
        """Load the input, so that questions can be asked."""
        raise NotImplementedError

    def ask(self, item: int, direction: Direction) -> I64:
        """Return the items that ``item`` derives from, or that derive from it, in any order."""
        raise NotImplementedError

    def ask_named(self, item: str, direction: Direction) -> bool:
        """Ask for an answer that includes names, triples and attributes.

        Return False if the contender does not store these.
        """
        return False

    def levels(self, item: int, reached: Callable[[I64], I64]) -> I64:
        """Return all items that ``item`` leads to, found by calling ``reached`` for each level.

        ``reached`` returns the items that are one step away from the given items.
        Raises TooSlow if the time limit passes.
        """
        found = np.empty(0, np.int64)
        frontier = np.array([item], np.int64)
        while len(frontier):
            if self.late.is_set():
                raise TooSlow("The answer was not complete within the time limit")
            frontier = np.setdiff1d(reached(frontier), found)
            found = np.union1d(found, frontier)
        return found

    def cancel(self) -> None:
        """Stop the current question, which exceeds the time limit. Called by another thread."""


def ends(direction: Direction) -> tuple[str, str]:
    """Return the columns of the near and the far end of a triple in this direction."""
    return (DST, SRC) if direction == "upstream" else (SRC, DST)
