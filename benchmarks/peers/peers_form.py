"""Types that describe `results/peers.json`, and the input and output of one contender."""

from typing import TypedDict

from benchmarks.ingest.ingest_form import Ingested
from benchmarks.shared.results import Percentiles, SeededRun, Totals
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
"""The content of `results/peers.json`: runs by the number of copies of the trace."""
