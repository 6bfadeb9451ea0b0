"""The form of `results/peers.json`, which one script writes and another makes tables from."""

from typing import TypedDict

from form import Percentiles, SeededRun, Totals
from ingest_form import Ingested

from provhouse.model.question import Direction


class ClassQuestions(TypedDict):
    """The questions of one class: items by number, and by name for who has names."""

    direction: Direction
    items: list[int]
    names: list[str]


class ContenderInput(TypedDict):
    """What a contender is told besides the triples: settings of the warehouse that holds them, and
    how many seconds an answer may take."""

    settings: dict[str, str]
    limit: float
    questions: list[ClassQuestions]


class AnswerDigest(TypedDict):
    """One answer: how many items, the asked one apart, and the same text for the same items."""

    items: int
    digest: str


class ClassAnswers(TypedDict):
    """The questions of one class as one contender answered them, each with its seconds.

    ``late`` says that the answer after these was not there within the limit: the class was left
    then. ``named`` is the time with names, triples and attributes put to it, where a contender
    does that.
    """

    answers: list[AnswerDigest]
    late: bool
    seconds: list[float]
    named: list[float]


class ContenderRun(TypedDict):
    """One contender in a process of its own.

    ``load`` is seconds by step. ``peak_memory_mb`` is that of all its processes while it loads and
    answers every question once, before the clock runs.
    """

    load: dict[str, float]
    peak_memory_mb: int
    disk_bytes: int
    asked: list[ClassAnswers]


class ClassTimes(TypedDict):
    """What one class took one contender; None where an answer was not there within the limit."""

    seconds: Percentiles | None
    named: Percentiles | None


class ContenderFigures(TypedDict):
    """One contender; ``took`` is in the order of the classes."""

    load: dict[str, float]
    peak_memory_mb: int
    disk_bytes: int
    took: list[ClassTimes]


class PeersClass(TypedDict):
    """Questions for so many items, found among ``tried`` drawn at random, and their answers."""

    name: str
    direction: str
    large: bool
    least: int
    most: int
    tried: int
    asked: int
    items: float


class Results(SeededRun):
    """One run. ``load`` is the machine's mean load over the minute before it began.

    ``ingest`` is how the warehouse was made, None if it was given. A contender that failed, as for
    want of memory or of its package, is None.
    """

    limit: float
    warehouse: Totals
    ingest: Ingested | None
    classes: list[PeersClass]
    contenders: dict[str, ContenderFigures | None]
