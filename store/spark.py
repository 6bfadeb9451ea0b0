"""Spark: the one session of a process, and running a function over arguments as one job."""

import atexit
import os
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from provhouse.model.errors import ProvhouseError, Unavailable
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.runtime.jars import jar_folder
from provhouse.runtime.java import java

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

Arg = TypeVar("Arg")
Result = TypeVar("Result")

_CONFIG = {
    "spark.ui.enabled": "false",  # nobody looks, and it takes a port
    "spark.ui.showConsoleProgress": "false",  # the command draws its own
    "spark.python.unix.domain.socket.enabled": "true",  # a small Python job: 65 ms -> 27 ms
    "spark.databricks.delta.snapshotPartitions": "1",  # else 50 tasks for the first small read
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
    "spark.driver.maxResultSize": "0",  # answers are bounded by what the walk named
    "spark.rdd.compress": "false",
    "spark.log.level": "ERROR",
}


def spark(settings: Settings, log: Path) -> "SparkSession":
    """The session of this process; the first call starts Spark, which takes 6 to 11 seconds.

    What the JVM prints goes to ``log``. Raises Unavailable where Java, the jars or the master are
    missing.
    """
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkException
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        return active
    executable, jars = java(), jar_folder("delta")
    os.environ["JAVA_HOME"] = str(executable.parent.parent)
    os.environ["PYSPARK_PYTHON"] = sys.executable  # or the workers start another interpreter
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    scratch = tempfile.TemporaryDirectory(prefix="provhouse-spark-")
    conf = SparkConf().setAll(list(_CONFIG.items())).setMaster(settings.master)
    conf.setAppName("provhouse")
    conf.set("spark.jars", ",".join(str(jar) for jar in sorted(jars.glob("*.jar"))))
    conf.set("spark.driver.memory", settings.spark_memory)
    conf.set("spark.sql.warehouse.dir", f"{scratch.name}/tables")
    if settings.master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        conf.set("spark.driver.host", "127.0.0.1").set("spark.local.dir", scratch.name)
    try:
        with log.open("ab") as sink:
            launch: Any = launch_gateway  # untyped
            gateway = launch(conf, {"stdout": sink, "stderr": sink})
        session = SparkSession(SparkContext(conf=conf, gateway=gateway))
    except KeyboardInterrupt:
        raise
    except (PySparkException, Exception) as error:
        raise Unavailable(
            f"Spark should start with the master {settings.master}",
            f"It did not: {str(error).splitlines()[0]}",
            f"See {log}; `provhouse doctor` tells what is missing",
        ) from error
    atexit.register(_stop, session, scratch)
    return session


def _stop(session: "SparkSession", scratch: "tempfile.TemporaryDirectory[str]") -> None:
    gateway: Any = session.sparkContext._gateway
    session.stop()
    gateway.shutdown()
    gateway.proc.stdin.close()  # the JVM ends when nobody can write to it any more
    gateway.proc.wait(30)
    scratch.cleanup()


@dataclass(frozen=True)
class _Failed:
    error: ProvhouseError


class _Guarded(Generic[Arg, Result]):
    """A task whose own errors come back as values: Spark would turn them into text."""

    def __init__(self, task: Callable[[Arg], Result]) -> None:
        self.task = task

    def __call__(self, argument: Arg) -> Result | _Failed:
        try:
            return self.task(argument)
        except ProvhouseError as error:
            return _Failed(error)


def run_tasks(
    context: "SparkContext",
    task: Callable[[Arg], Result],
    arguments: Sequence[Arg],
    progress: Progress,
) -> list[Result]:
    """Run ``task`` on every argument as one Spark job, one task each; results in their order.

    An error of provhouse that a task raises is raised here, the one of the first argument first.
    """
    if not arguments:
        return []
    watch = _Watch(context, len(arguments), progress)
    with watch:
        results = context.parallelize(arguments, len(arguments)).map(_Guarded(task)).collect()
    done: list[Result] = []
    for result in results:
        if isinstance(result, _Failed):
            raise result.error
        done.append(result)
    return done


class _Watch:
    """Tells how many tasks of the job that runs are done, while it runs."""

    def __init__(self, context: "SparkContext", total: int, progress: Progress) -> None:
        self._tracker = context.statusTracker()
        self._total = total
        self._progress = progress
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> None:
        if self._total > 1:
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._total > 1:
            self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.5):
            stages = [self._tracker.getStageInfo(s) for s in self._tracker.getActiveStageIds()]
            done = sum(stage.numCompletedTasks for stage in stages if stage)
            self._progress.advance(done, self._total)
