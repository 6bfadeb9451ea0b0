"""The form of `results/peers.json`, and of the input and output of one contender."""

from typing import TypedDict

from form import Percentiles, SeededRun, Totals
from ingest_form import Ingested

from provhouse.model.question import Direction


class ClassQuestions(TypedDict):
    """The questions of one class: items by number, and by name for contenders that store names."""

    direction: Direction
    items: list[int]
    names: list[str]


class ContenderInput(TypedDict):
    """A contender's input besides the triples.

    ``settings`` are those of the warehouse with the same triples, ``limit`` is the seconds that an
    answer may take.
    """

    settings: dict[str, str]
    limit: float
    questions: list[ClassQuestions]


class AnswerDigest(TypedDict):
    """One answer: the number of items, without the asked one, and a digest of them."""

    items: int
    digest: str


class ClassAnswers(TypedDict):
    """One contender's answers to the questions of one class, with the seconds of each.

    If ``late``, the next answer was not complete within the limit, and the rest of the class was
    skipped. ``named`` are the seconds of answers with names, triples and attributes, from
    contenders that store them.
    """

    answers: list[AnswerDigest]
    late: bool
    seconds: list[float]
    named: list[float]


class ContenderRun(TypedDict):
    """The run of one contender in a process of its own.

    ``load`` is seconds by step. ``peak_memory_mb`` covers all its processes while it loads and
    answers every question once, before the clock starts.
    """

    load: dict[str, float]
    peak_memory_mb: int
    disk_bytes: int
    asked: list[ClassAnswers]


class ClassTimes(TypedDict):
    """One contender's times for one class; None if an answer exceeded the limit."""

    seconds: Percentiles | None
    named: Percentiles | None


class ContenderFigures(TypedDict):
    """One contender; ``took`` is in the order of the classes."""

    load: dict[str, float]
    peak_memory_mb: int
    disk_bytes: int
    took: list[ClassTimes]


class PeersClass(TypedDict):
    """A class: its ``asked`` items, found among ``tried`` random ones, and its median answer."""

    name: str
    direction: str
    large: bool
    least: int
    most: int
    tried: int
    asked: int
    items: float


class Results(SeededRun):
    """One run.

    ``ingest`` is the ingest of a new warehouse, None if one was given. A contender is None if it
    failed, for example because it ran out of memory or its package is missing.
    """

    limit: float
    warehouse: Totals
    ingest: Ingested | None
    classes: list[PeersClass]
    contenders: dict[str, ContenderFigures | None]
