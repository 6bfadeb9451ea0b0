"""CSProv reads exactly the partitions that its walk finds, and never gives incomplete answers."""

from collections.abc import Callable

import numpy as np
import pytest
from neo4j import GraphDatabase

from helpers.graphs import graph
from helpers.invariant import dependencies
from helpers.oracle import Expected, Oracle, Triple
from helpers.spark import wait_for_listeners
from helpers.warehouse import House, content
from provhouse.model.answer import Answer, Read
from provhouse.model.arrays import ItemNumbers, SetIds
from provhouse.model.errors import Damaged
from provhouse.model.progress import Stopwatch
from provhouse.model.question import Direction, Method
from provhouse.query.lineage.ask import Asker
from provhouse.query.lineage.path import path
from provhouse.query.locate import locate_versions
from provhouse.query.reading.walk import Walk
from provhouse.runtime.spark.pyspark_internals import restore_properties

FAMILIES, SIZE, HUBS = 420, 20, 20
DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")
DROP = """
MATCH (:Set {warehouse: $warehouse, id: $child})-[d:DEPENDS_ON]->(:Set {id: $parent})
DELETE d
"""
RESTORE = """
MATCH (child:Set {warehouse: $warehouse, id: $child})
MATCH (parent:Set {warehouse: $warehouse, id: $parent})
MERGE (child)-[:DEPENDS_ON]->(parent)
"""


def families() -> list[Triple]:
    """Return one component: an item, hubs that derive from it, and many trees under each hub."""
    triples = [Triple("origin", f"hub {hub}", "found", "origins", "hubs") for hub in range(HUBS)]
    random = np.random.default_rng(6)
    for family in range(FAMILIES):
        root = f"{family} 0"
        triples.append(Triple(f"hub {family % HUBS}", root, "read", "hubs", "items"))
        parents = random.integers(0, np.arange(1, SIZE)).tolist()
        for child, parent in enumerate(parents, 1):
            triples.append(Triple(f"{family} {parent}", f"{family} {child}", "", "items", "items"))
    return triples


@pytest.fixture(scope="module")
def large(houses: Callable[..., House]) -> House:
    house = houses(theta=100, partition_triples=320, hot_mb=0)
    summary = house.ingest(families())
    assert summary.components == 1
    assert summary.triples == large_triples()
    return house


def walk(asker: Asker, item: str, direction: Direction) -> Walk:
    return asker.walk(locate_versions(asker.snapshot, item).first, direction, Stopwatch())


def observed(
    asker: Asker, item: str, direction: Direction, method: Method, depth: int | None = None
) -> tuple[Answer, list[int]]:
    """Return the answer, and the number of tasks in each job, as Spark counts them."""
    context = asker.spark.session.sparkContext
    group = f"{item} {direction} {method}"
    fetches = [f"fetch {id(asker.spark._cached._reads)} {n}" for n in range(9)]
    tracker = context.statusTracker()
    before = {job for each in fetches for job in tracker.getJobIdsForGroup(each)}
    context.setJobGroup(group, group)
    try:
        answer = asker.ask(item, direction, method, depth)
    finally:
        restore_properties(context, {"spark.jobGroup.id": None})
    wait_for_listeners(context)
    jobs = {job for each in [group, *fetches] for job in tracker.getJobIdsForGroup(each)}
    tasks = []
    for job in sorted(jobs - before):
        info = tracker.getJobInfo(job)
        assert info
        stages = [tracker.getStageInfo(stage) for stage in info.stageIds]
        tasks.append(sum(stage.numCompletedTasks for stage in stages if stage))
    return answer, tasks


def questions(asker: Asker) -> list[tuple[str, Direction]]:
    """Return questions about the first and last item of a family whose sets contain no hub."""
    family = min(
        range(0, FAMILIES, 41), key=lambda one: walk(asker, f"{one} 0", "downstream").triples
    )
    return [(f"{family} {SIZE - 1}", "upstream"), (f"{family} 0", "downstream")]


@pytest.mark.long
def test_spark_runs_one_task_for_each_partition_of_the_walk(large: House) -> None:
    with large.asker() as asker:
        partitions = len(asker.snapshot.partitions)
        assert partitions >= 25
        for item, direction in questions(asker):
            named = walk(asker, item, direction)
            answer, tasks = observed(asker, item, direction, "csprov")
            assert tasks == [len(named.partitions)]
            assert answer.read == Read(len(named.sets), len(named.partitions), named.triples)
            asker.ask(item, direction, "rq", 0)  # this fills the cache
            whole, all_tasks = observed(asker, item, direction, "ccprov")
            assert content(whole) == content(answer)
            assert whole.read.triples == large_triples()
            assert max(all_tasks) >= partitions
            assert sum(tasks) * 5 < sum(all_tasks)
            assert named.triples * 10 < whole.read.triples


def large_triples() -> int:
    return HUBS + FAMILIES * SIZE


@pytest.fixture(scope="module")
def chained(houses: Callable[..., House]) -> House:
    """A warehouse with two graphs, cut into many sets of at most two items."""
    house = houses(theta=3, pack=0)
    house.ingest([*graph(11 * 8).triples, *graph(11 * 7 + 8).triples])
    return house


def asked(asker: Asker, item: str, direction: Direction) -> Expected | str:
    """Return the answer or, if data is damaged, the first sentence of the error."""
    try:
        return content(asker.ask(item, direction, "csprov"))
    except Damaged as error:
        return error.wanted


def refusals(asker: Asker, oracle: Oracle, items: list[str], child: int, parent: int) -> None:
    """Check all answers while Neo4j lacks the dependency of set ``child`` on set ``parent``."""
    for direction in DIRECTIONS:
        answers = {item: asked(asker, item, direction) for item in items}
        refused = [text for text in answers.values() if isinstance(text, str)]
        assert refused
        assert all(f"from set {child} to set {parent}" in text for text in refused)
        for item, found in answers.items():
            assert isinstance(found, str) or found == oracle.ask(item, direction)
    ends = asker.snapshot.rows_of_sets(SetIds(np.array([child, parent])))
    firsts = ItemNumbers(asker.snapshot.set_firsts[ends])
    last, first = asker.snapshot.names.names(firsts).to_pylist()
    with pytest.raises(Damaged, match=f"from set {child} to set {parent}"):
        path(asker, first, last)


@pytest.mark.long
def test_a_missing_dependency_is_damage_and_no_incomplete_answer(chained: House) -> None:
    """One dependency at a time is deleted.

    Questions that need the dependency fail, and all other answers are correct.
    """
    triples = [*graph(11 * 8).triples, *graph(11 * 7 + 8).triples]
    oracle = Oracle.of(triples)
    items = sorted({end for triple in triples for end in triple[:2]})
    warehouse = chained.layout.warehouse_id()
    pairs = sorted(dependencies(chained.address, warehouse))
    auth = (chained.address.user, chained.address.password)
    with (
        GraphDatabase.driver(chained.address.bolt, auth=auth) as driver,
        driver.session() as session,
    ):
        for child, parent in pairs[len(pairs) // 3 :][:1]:
            keys = {"warehouse": warehouse, "child": child, "parent": parent}
            session.run(DROP, keys).consume()
            with pytest.raises(AssertionError, match="Neo4j lacks"):
                chained.check()
            # a new asker, because an asker keeps its walks in memory
            with chained.asker() as asker:
                refusals(asker, oracle, items, child, parent)
            session.run(RESTORE, keys).consume()
    chained.check()


def test_extra_dependencies_in_neo4j_do_no_harm(chained: House) -> None:
    """A crash may leave dependencies without triples. They only make a walk reach more sets."""
    triples = [*graph(11 * 8).triples, *graph(11 * 7 + 8).triples]
    warehouse = chained.layout.warehouse_id()
    ids = sorted({one for pair in dependencies(chained.address, warehouse) for one in pair})
    stray = {"warehouse": warehouse, "child": ids[0], "parent": ids[-1]}
    auth = (chained.address.user, chained.address.password)
    with (
        GraphDatabase.driver(chained.address.bolt, auth=auth) as driver,
        driver.session() as session,
    ):
        session.run(RESTORE, stray).consume()
        with chained.asker() as asker:
            for item in sorted({end for triple in triples for end in triple[:2]})[::4]:
                for direction in DIRECTIONS:
                    expected = Oracle.of(triples).ask(item, direction)
                    assert content(asker.ask(item, direction, "csprov")) == expected
        session.run(DROP, stray).consume()
