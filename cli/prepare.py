"""Preparation of a machine for the first command: downloaded jars, and archived Java classes.

Java loads classes from an archive faster, so Spark and Neo4j start faster.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from provhouse.model.errors import Unavailable
from provhouse.model.progress import Progress, Silent


def prepare(progress: Progress, *, without_spark: bool = False) -> None:
    """Download missing jars, and create missing archives of the classes that Java loads.

    Takes little time if nothing is missing. ``without_spark`` leaves out Spark's archive. The
    process must end afterwards, because Spark may have been started in it. Raises Unavailable if
    the jars cannot be downloaded.
    """
    from provhouse.runtime.class_archives import PROGRAMS, has_archive, recording
    from provhouse.runtime.jars import GROUPS, fetch

    fetch(progress, (*GROUPS, "page"))
    for program, use in zip(PROGRAMS, (_use_neo4j, _use_spark), strict=True):
        if (without_spark and program == "spark") or has_archive(program):
            continue
        progress.begin(f"Prepare {program} for quick starts (once)")
        try:
            with TemporaryDirectory(prefix="provhouse-prepare-") as folder, recording(program):
                use(Path(folder))
        except Unavailable as error:  # a command that needs the program reports this again
            progress.say(f"{error.wanted}: {error.found}")


def _use_neo4j(folder: Path) -> None:
    """Use Neo4j as most commands do, so that Java archives the classes that those commands need."""
    from provhouse.cypher.graph import Graph
    from provhouse.cypher.server import connected
    from provhouse.model.arrays import SetId

    with connected(folder, "512m", Silent()) as address, Graph(address, "prepare") as graph:
        graph.prepare()
        graph.write("dependencies", [{"set": 1, "derives_from": 2, "triples": 1, "ops": ["op"]}])
        graph.write_load("commit")
        graph.closure(SetId(1), "upstream")
        graph.read("MATCH (n) RETURN n", {})


def _use_spark(folder: Path) -> None:
    from provhouse.model.settings import Settings
    from provhouse.runtime.spark.session import end, spark
    from provhouse.runtime.spark.tasks import run_tasks
    from provhouse.store.warehouse.layout import Layout

    session = spark(Settings(warehouse=folder), Layout(folder).logs)
    run_tasks(session.sparkContext, abs, [1, 2], Silent())
    cached = session.sparkContext.parallelize([1, 2], 2).persist()
    session.sparkContext.runJob(cached, list, [1])
    end(patience=60)
