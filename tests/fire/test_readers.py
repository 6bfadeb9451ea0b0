"""Answers given during writes match the generations that they name."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from threading import Event
from time import perf_counter

import pytest

from helpers.graphs import graph
from helpers.oracle import Expected, Oracle, Triple
from helpers.warehouse import House, content
from provhouse.care.compact import compact
from provhouse.ingest.ingest import ingest
from provhouse.model.progress import Silent
from provhouse.model.question import Direction

DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")
Span = tuple[float, float]
"""The start and the end of a time span, in seconds."""


@dataclass(frozen=True)
class Answered:
    """A question and its answer, and the times at which the question began and ended."""

    generation: int
    item: str
    direction: Direction
    answer: Expected
    span: Span


@dataclass
class Written:
    """By generation: its stored triples. Also the times of all writes."""

    stored: dict[int, list[Triple]] = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Record the start and end of the ``with`` block as the start and end of a write."""
        began = perf_counter()
        yield
        self.spans.append((began, perf_counter()))


def read(house: House, items: list[str], over: Event, seed: int) -> list[Answered]:
    """Ask random questions about the current generation until ``over`` is set."""
    random, found = Random(seed), []
    while not over.is_set():
        began = perf_counter()
        item, direction = random.choice(items), random.choice(DIRECTIONS)
        with house.asker() as asker:
            answer = asker.ask(item, direction, "csprov")
        span = began, perf_counter()
        found.append(Answered(answer.generation, item, direction, content(answer), span))
    return found


def write(house: House, parts: list[list[Triple]], compactions: int) -> Written:
    """Ingest all parts, with ``compactions`` compactions in between; return all writes."""
    written, stored = Written(), set[Triple]()
    every = len(parts) // max(compactions, 1)
    for number, part in enumerate(parts):
        with written.timed():
            summary = ingest([house.write(part)], house.settings, progress=Silent())
        stored |= set(part)
        written.stored[summary.generation] = sorted(stored)
        if compactions and (number + 1) % every == 0:
            with written.timed():
                summary = compact(house.settings, Silent())
            written.stored[summary.generation] = sorted(stored)
    return written


@pytest.mark.long
@pytest.mark.parametrize(
    ("readers", "ingests", "compactions"),
    [(2, 2, 1), pytest.param(8, 20, 3, marks=pytest.mark.long)],
)
def test_each_answer_matches_its_generation(
    houses: Callable[..., House], readers: int, ingests: int, compactions: int
) -> None:
    house = houses(theta=6, partition_triples=20)
    rows = [row for seed in range(200, 212) for row in graph(seed).triples]
    random = Random(readers)
    parts = [random.sample(rows, 30) for _ in range(ingests + 1)]
    first = write(house, parts[:1], 0)
    items = sorted({end for row in parts[0] for end in (row.src, row.dst)})
    over = Event()
    with house.asker() as asker:  # the first question is slow, because Spark is not warm yet
        asker.ask(items[0], "upstream", "csprov")
    with ThreadPoolExecutor(readers) as pool:
        asking = [pool.submit(read, house, items, over, seed) for seed in range(readers)]
        try:
            written = write(house, parts[1:], compactions)
        finally:
            over.set()
        answers = [answer for one in asking for answer in one.result()]
    (start,) = first.stored.values()
    stored = {
        **first.stored,
        **{g: sorted({*start, *rows}) for g, rows in written.stored.items()},
    }
    oracles = {generation: Oracle.of(rows) for generation, rows in stored.items()}
    for answer in answers:
        expected = oracles[answer.generation].ask(answer.item, answer.direction)
        assert answer.answer == expected, answer
    # No reader waits for the writers. A single small ingest may end before any question ends.
    began, ended = written.spans[0][0], written.spans[-1][1]
    assert any(began < a.span[0] and a.span[1] < ended for a in answers)
    assert len({answer.generation for answer in answers}) > 1
