"""Concurrent questions share one copy of all triples, and each can stop waiting for it."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import monotonic, sleep
from typing import Any

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from helpers.graphs import graph
from helpers.oracle import Oracle
from helpers.sampled import one_in
from helpers.spark import occupied
from helpers.warehouse import House, content
from provhouse.model.errors import StillFilling, TooSlow, Unavailable
from provhouse.model.progress import Stopwatch
from provhouse.model.question import Method, Question
from provhouse.query.lineage.ask import Asker

TRIPLES = graph(11 * 8).triples
ITEM = TRIPLES[0].dst
METHODS: tuple[Method, ...] = ("rq", "ccprov")


@pytest.fixture(scope="module")
def house(houses: Callable[..., House]) -> House:
    """A warehouse with several partitions, whose table Spark has read before."""
    house = houses(partition_triples=10)
    house.ingest(TRIPLES)
    with house.asker() as asker:  # with its first read of a table, Delta caches the table's state
        asker.ask(ITEM, "upstream", "rq")
    return house


@pytest.fixture
def asker(house: House) -> Iterator[Asker]:
    with house.asker() as opened:
        yield opened


@pytest.fixture
def context(spark: SparkSession) -> SparkContext:
    return spark.sparkContext


@pytest.fixture
def others() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def cached(context: SparkContext) -> int:
    """Return the number of data sets in Spark's cache."""
    java: Any = context._jsc
    return int(java.getPersistentRDDs().size())


def running(context: SparkContext) -> int:
    """Return the number of jobs that are running or waiting for a core."""
    return len(context.statusTracker().getActiveJobsIds())


def soon(condition: Callable[[], bool]) -> bool:
    """Wait up to two minutes for a condition to hold; return whether it holds."""
    until = monotonic() + 120
    while not condition() and monotonic() < until:
        sleep(0.02)
    return condition()


@pytest.mark.long
def test_questions_at_once_share_one_copy(
    asker: Asker, context: SparkContext, others: ThreadPoolExecutor
) -> None:
    before = cached(context)
    with occupied(context):
        replies = [others.submit(asker.ask, ITEM, "upstream", m) for m in METHODS for _ in (1, 2)]
        assert soon(lambda: running(context) > 1)
    for reply in replies:
        assert content(reply.result(120)) == Oracle.of(TRIPLES).ask(ITEM, "upstream")
    assert soon(lambda: cached(context) == before + 1)
    asker.close()
    assert soon(lambda: cached(context) == before)


@pytest.mark.long
@pytest.mark.parametrize("method", one_in(4, METHODS))
def test_a_fill_goes_on_after_the_time_limit(
    asker: Asker, context: SparkContext, method: Method
) -> None:
    question = Question(ITEM, "upstream", method)
    with occupied(context):
        began = monotonic()
        with pytest.raises(StillFilling, match="Ask again in about") as caught:
            asker.answer(question, Stopwatch(0.5))
        assert monotonic() - began < 60  # the fill would wait for the occupied cores
        assert caught.value.seconds >= 1
        assert not asker.spark.has_hashed("upstream")
    assert soon(lambda: asker.spark.has_hashed("upstream"))
    assert content(asker.answer(question)) == Oracle.of(TRIPLES).ask(ITEM, "upstream")


@pytest.mark.long  # on a busy machine, Delta may read its log again, and waits for a core
def test_a_fill_is_cancelled_once_all_clients_have_left(
    asker: Asker, context: SparkContext, others: ThreadPoolExecutor
) -> None:
    before = cached(context)
    left = Event(), Event()
    question = Question(ITEM, "upstream", "rq")
    with occupied(context):
        asked = [others.submit(asker.answer, question, Stopwatch(600, gone)) for gone in left]
        assert soon(lambda: running(context) > 1)
        assert soon(lambda: [fill._waiting for fill in asker.spark._fills.values()] == [2])
        left[0].set()
        with pytest.raises(TooSlow, match="disconnected"):
            asked[0].result(120)
        assert not asked[1].done()
        assert running(context) > 1
        left[1].set()
        with pytest.raises(TooSlow, match="disconnected"):
            asked[1].result(120)
        assert soon(lambda: running(context) == 1)
    assert soon(lambda: cached(context) == before)
    assert content(asker.answer(question)) == Oracle.of(TRIPLES).ask(ITEM, "upstream")


@pytest.mark.long
def test_a_release_cancels_a_fill(
    asker: Asker, context: SparkContext, others: ThreadPoolExecutor
) -> None:
    before = cached(context)
    with occupied(context):
        asked = others.submit(asker.ask, ITEM, "downstream", "rq")
        assert soon(lambda: running(context) > 1)
        asker.spark.cancel_fills()
        with pytest.raises(Unavailable, match="was cancelled"):
            asked.result(120)
        assert soon(lambda: running(context) == 1)
        with pytest.raises(Unavailable, match="was cancelled"):
            asker.ask(ITEM, "downstream", "rq")
    assert soon(lambda: cached(context) == before)
