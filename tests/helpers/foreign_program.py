"""A program with its own Spark session, in which it uses two warehouses.

A process can have only one context of PySpark, so the tests run this file as a separate process. It
fails with a traceback if an answer is wrong, or if provhouse has changed the session.
"""

import gc
import os
import sys
from pathlib import Path

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from helpers.graphs import graph
from helpers.oracle import Oracle, Triple
from helpers.warehouse import content
from provhouse.care.retract import Retracting, retract
from provhouse.ingest import ingest as ingesting
from provhouse.model.errors import Unavailable
from provhouse.model.progress import Silent, Stopwatch
from provhouse.model.question import Direction, Method, Question
from provhouse.model.settings import Settings
from provhouse.query.lineage.ask import Asker
from provhouse.runtime.spark.session import alive, end

DIRECTIONS: tuple[Direction, ...] = ("upstream", "downstream")
METHODS: tuple[Method, ...] = ("rq", "ccprov", "csprov")
GROUP = "the program's own jobs"


def main(folder: Path, neo4j_home: Path) -> None:
    """Use two warehouses below a folder, then check that the session is unchanged."""
    ingesting.SMALL_BYTES = 0  # so that all tasks run in Spark
    session = SparkSession.builder.master("local[2]").appName("another program").getOrCreate()
    context = session.sparkContext
    assert "delta" not in str(context.getConf().getAll()).lower()
    context.setJobGroup(GROUP, "a description")
    before = state(session)
    for number in (1, 2):
        settings = Settings(
            warehouse=folder / f"warehouse {number}",
            neo4j_home=neo4j_home,
            theta=6,
            partition_triples=20,
            hot_mb=0,
        )
        left = use(settings, folder, graph(number).triples)
    assert not alive()
    end()
    assert state(session) == before
    assert session.range(10).count() == 10
    assert context.parallelize([0], 1).map(lambda _: gc.get_freeze_count()).collect() == [0]
    refusals(settings, context)
    item = left[0].dst
    with Asker(settings, Silent()) as asker:
        asker.warm()
        session.stop()
        with pytest.raises(Unavailable, match="open the warehouse again"):
            asker.ask(item, "upstream", "rq")
    with Asker(settings, Silent()) as asker:  # starts a session of its own for provhouse
        answer = asker.ask(item, "upstream", "rq")
        assert "delta" in str(asker.spark.session.sparkContext.getConf().getAll()).lower()
        assert answer.items.num_rows


def state(session: SparkSession) -> list[object]:
    """Return all properties of a session that provhouse must not change."""
    context = session.sparkContext
    names = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")
    rows = session.sql("SET").collect()
    return [
        sorted(context.getConf().getAll()),
        sorted((row["key"], row["value"]) for row in rows),
        [context.getLocalProperty(name) for name in names],
        [os.environ.get(name) for name in ("PYSPARK_PYTHON", "SPARK_LOCAL_IP")],
        SparkSession.getActiveSession() is session,
    ]


def use(settings: Settings, folder: Path, triples: list[Triple]) -> list[Triple]:
    """Ingest, ask with all methods, retract an item, ask again; return the remaining triples."""
    file = folder / "triples.csv"
    file.write_text("\n".join(",".join(row) for row in [Triple._fields, *triples]))
    ingesting.ingest([file], settings, progress=Silent())
    check(settings, triples)
    gone = triples[len(triples) // 2].src
    retract(Retracting(items=[gone]), settings, Silent())
    left = [row for row in triples if gone not in (row.src, row.dst)]
    check(settings, left)
    return left


def check(settings: Settings, triples: list[Triple]) -> None:
    """Compare the answers of all methods, in both directions, with those of networkx."""
    oracle = Oracle.of(triples)
    items = sorted({end for triple in triples for end in triple[:2]})
    with Asker(settings, Silent()) as asker:
        for item in items[:: len(items) // 2]:
            for direction in DIRECTIONS:
                for method in METHODS:
                    question = Question(item, direction, method)
                    answer = asker.answer(question, Stopwatch(60))
                    assert content(answer) == oracle.ask(item, direction), (item, method)


def refusals(settings: Settings, context: SparkContext) -> None:
    """Check the errors that are raised for sessions that cannot be used."""
    from provhouse.runtime.spark.adopting import check_usable

    wrapper = settings.warehouse.parent / "bare python"
    wrapper.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    wrapper.chmod(0o755)
    context.pythonExec, python = str(wrapper), context.pythonExec
    with pytest.raises(Unavailable, match="PYSPARK_PYTHON"):
        check_usable(context)
    context.pythonExec = python


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
