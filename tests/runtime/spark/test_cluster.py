"""A standalone cluster gives the same answers as networkx, even if a worker is killed."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from benchmarks.cluster.scenario_process import run
from benchmarks.cluster.scenarios import HELD, Scenario
from benchmarks.cluster.spark_cluster import Cluster, kill, resume, suspend
from helpers.cluster import check, expected, write
from helpers.graphs import graph
from helpers.oracle import Triple
from provhouse.model.question import Method

SHOWN = Path(__file__).parent.parent.parent.parent
numbers = count()


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """The folder that the driver and all workers share."""
    folder = tmp_path / "shared"
    folder.mkdir()
    return folder


@pytest.fixture
def cluster(tmp_path: Path, shared: Path) -> Iterator[Cluster]:
    """A cluster with two workers, on which provhouse is installed."""
    with Cluster(tmp_path / "cluster", [shared, SHOWN]) as started:
        yield started


@pytest.fixture
def scenario(shared: Path, graph_home: Path, cluster: Cluster) -> Callable[..., Scenario]:
    """A function that makes a scenario with a new warehouse."""

    def make(**fields: object) -> Scenario:
        settings = {
            "warehouse": str(shared / f"warehouse {next(numbers)}"),
            "neo4j_home": str(graph_home),
            "master": cluster.master,
            "spark_memory": "512m",
            "theta": 6,
            "partition_triples": 20,
            "hot_mb": 0,
        }
        return Scenario(settings=settings, **fields)  # type: ignore[arg-type]

    return make


def triples_of(first: int, last: int) -> list[Triple]:
    """Return the triples of several graphs. No triple occurs twice."""
    return [*dict.fromkeys(t for number in range(first, last) for t in graph(number).triples)]


@pytest.mark.long
def test_a_cluster_answers_as_one_machine_does(
    tmp_path: Path, shared: Path, cluster: Cluster, scenario: Callable[..., Scenario]
) -> None:
    first, second = triples_of(1, 2), triples_of(2, 3)
    items = [first[0].dst, second[-1].dst]
    files = [write(first, shared / "1.csv"), write(second, shared / "2.csv")]
    asked = scenario(files=files, items=items, methods=("csprov",), tasks=True)
    results = run(asked, tmp_path, address=cluster.driver)
    for folder, sees, reaches in results["executors"].value:
        assert Path(folder).is_relative_to(tmp_path / "cluster")
        assert sees is not cluster.isolated
        assert reaches is not cluster.networked
    check(results, "", expected([*first, *second], items), ("csprov",))
    check_tasks(*results["tasks"].value)


def check_tasks(stored: int, slots: int, questions: list[Any]) -> None:
    """Check that a question runs at most one task for each slot, and none when it is repeated."""
    assert any(0 < partitions < stored for partitions, _ in questions)
    for partitions, times in questions:
        assert times == [min(partitions, slots), *[0] * (len(times) - 1)]


def changed_by(item: str, triples: list[Triple]) -> set[str]:
    """Return the items that derive from ``item`` and also occur in triples without ``item``."""
    others = {end for row in triples if item not in row[:2] for end in row[:2]}
    return {row.dst for row in triples if row.src == item} & others


@pytest.mark.long
def test_retract_compact_and_serve_on_a_cluster(
    tmp_path: Path, shared: Path, cluster: Cluster, scenario: Callable[..., Scenario]
) -> None:
    triples = triples_of(1, 9)
    gone = next(triple.src for triple in triples if changed_by(triple.src, triples))
    left = [row for row in triples if gone not in (row.src, row.dst)]
    stay = {end for triple in left for end in triple[:2]}
    items = [*sorted(stay)[::9], *sorted(changed_by(gone, triples))]
    files = [write(triples[:40], shared / "1.csv"), write(triples[40:], shared / "2.csv")]
    asked = scenario(files=files, items=items, retract=gone, compact=True, server=True)
    results = run(asked, tmp_path, address=cluster.driver)
    check(results, "", expected(triples, items))
    check(results, " after the retraction", expected(left, items))
    check(results, " after the compaction", expected(left, items))
    assert results["server"].value == expected(left, items)[::2]


@pytest.mark.long
@pytest.mark.parametrize(
    ("moment", "killed", "methods"),
    [
        ("Number the rows", "worker", ("csprov",)),
        ("ccprov", "executor", ("ccprov", "rq")),
        ("csprov", "worker", ("csprov",)),
    ],
)
def test_a_killed_worker_changes_no_answer(
    tmp_path: Path,
    shared: Path,
    cluster: Cluster,
    scenario: Callable[..., Scenario],
    moment: str,
    killed: str,
    methods: tuple[Method, ...],
) -> None:
    """From the beginning of a step, all workers pause until Spark has given one of them a task.

    An attempt that is lost with its worker does not count as one of the four attempts that Spark
    allows. An attempt that is lost with only its executor does count.
    """
    triples = triples_of(1, 9)
    items = sorted({end for triple in triples for end in triple[:2]})[::9]
    workers, steps = cluster.workers, list[str]()

    def on(step: str) -> None:
        steps.append(step)
        if step == moment:
            for worker in workers.values():
                suspend(worker)
        elif step.startswith(HELD):
            busy = workers[step.removeprefix(HELD)]
            busy.resume()  # the worker then reaps its executor, so that the wait for the kill ends
            kill(busy if killed == "worker" else busy.children()[0])
            for worker in workers.values():
                if worker.is_running():
                    resume(worker)

    file = write(triples, shared / "1.csv")
    asked = scenario(files=[file], items=items, lose=[moment], methods=methods)
    results = run(asked, tmp_path, on, cluster.driver)
    assert results["lost"].value == [[1, 1]]
    assert steps[steps.index(moment) + 1].startswith(HELD)
    check(results, "", expected(triples, items), methods)
