"""Capture the writes of a Spark session, by rules that run in its JVM."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from weakref import WeakSet

from provhouse.model.errors import ProvhouseError, UsageError
from provhouse.runtime.spark.pyspark_internals import java_session

from .jar import jar
from .python_pickles import store_functions
from .spark_versions import SparkVersion, fitting

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_WITH_JAR = WeakSet["SparkSession"]()
"""The sessions that have loaded our jar."""
_PATIENCE = 60_000
"""The longest time in milliseconds to wait until Spark has reported that all commands ended."""


@dataclass(frozen=True)
class Refusal:
    """A write of a block whose lineage was not captured."""

    target: str
    """The path to which the write goes, or the name of Spark's command if the path is unknown."""
    table: str
    """The name of the table in Spark's catalog, or an empty string."""
    problem: str
    found: str

    @property
    def name(self) -> str:
        """The name of the table, the same as in the declared keys."""
        return self.table or Path(unquote(self.target)).name.removesuffix(".parquet")

    @property
    def reason(self) -> str:
        """The reason why the write was not captured, in one sentence or two."""
        return ". ".join(filter(None, (self.problem, self.found)))


@dataclass(frozen=True)
class Budget:
    """The limits for the capture of one write; 0 means no limit."""

    bytes: int = 0
    """The largest size in bytes of the association files of the write."""
    seconds: float = 0.0
    """The longest time in seconds from the beginning of the write."""


NO_BUDGET = Budget()


@dataclass(frozen=True)
class Landing:
    """An address where a block leaves its lineage, for an ingest on another machine."""

    address: str
    run: str = ""
    sample: float = 1.0
    """The fraction of the rows of each write whose lineage an ingest keeps."""


@dataclass
class CaptureReports:
    """The refusals of a block. They are complete only after the block has ended."""

    refusals: tuple[Refusal, ...] = ()
    """The writes that were refused or that ran without capture."""
    refused: ProvhouseError | None = None
    """The error of the last refused write."""
    rules: Any = field(default=None, repr=False)
    """The block's rules in the JVM, which hold the plans of the block's writes."""
    ended: bool = False
    """Whether the block has ended. Later writes are not captured."""


@contextmanager
def saying(session: "SparkSession", **said: str) -> Iterator[None]:
    """Attach strings, such as an op or a module, to all writes of this thread during the block.

    Threads that start during the block inherit the strings. ``capturing/java/.../Write.java`` reads
    them.
    """
    context = session.sparkContext
    before: dict[str, Any] = {name: context.getLocalProperty(f"provhouse.{name}") for name in said}
    try:
        for name, text in said.items():
            context.setLocalProperty(f"provhouse.{name}", text)
        yield
    finally:
        for name, text in before.items():
            context.setLocalProperty(f"provhouse.{name}", text)


def await_ends(session: "SparkSession") -> None:
    """Wait until the end of each returned command is recorded in its write's description."""
    _, classic = java_session(session)
    classic.sparkContext().listenerBus().waitUntilEmpty(_PATIENCE)


def marked(frame: "DataFrame", table: str, key: Sequence[str]) -> "DataFrame":
    """Return a frame whose rows are items of a table in the captured lineage.

    Raises UsageError if the frame lacks a key column, or if the type of a key column is not
    supported in keys.
    """
    jvm, _ = java_session(frame.sparkSession)
    rows = jvm.provhouse.capturing.rules.Mark.marked(frame._jdf, table, [*key])
    return type(frame)(rows, frame.sparkSession)


@contextmanager
def capturing(
    session: "SparkSession",
    folder: Path | Landing,
    captured: CaptureReports,
    keys: Mapping[str, Sequence[str]],
    plain: bool = False,
    tables: Sequence[str] | None = None,
    budget: Budget = NO_BUDGET,
    *,
    sampled: bool = False,
    values: bool = False,
) -> Iterator[None]:
    """Capture all writes of a session during the block; descriptions and taps go below ``folder``.

    With a ``Landing``, they go to a new folder at its address, which is marked as complete when the
    block has ended. ``captured`` is filled at the end of the block, even after an exception. Raises
    UsageError, instead of Spark's error, for an operator or a write that is not covered, or if the
    session is already being captured. Whenever this error is raised, Spark has not begun to write.
    If ``plain`` is true, writes that are not covered run without capture. A write that exceeds its
    ``budget`` goes on without capture. ``keys`` has the key columns of each table, by the table's
    name. ``tables`` names the tables whose writes are captured; None means all. If ``sampled`` is
    true, a write that an ingest cannot sample is refused. If ``values`` is true, the values that
    rows contribute to aggregates are captured too.
    """
    options = {
        "keys": dict(keys),
        "plain": plain,
        "tables": None if tables is None else [*tables],
        "limits": {"bytes": budget.bytes, "seconds": budget.seconds},
        "sampled": sampled,
        "valued": values,
    }
    capture = captured.rules = _started(session, folder, json.dumps(options))
    try:
        yield
    except ProvhouseError:
        _end(capture, captured, session, folder)
        raise
    except Exception as error:  # a stream wraps the refusal that was raised in its thread
        _end(capture, captured, session, folder)
        if captured.refused and captured.refused.wanted in str(error):
            raise captured.refused from error
        raise
    except BaseException:  # Ctrl-C: do not wait for Spark's outstanding reports
        capture.abandon()
        _fill(captured, capture)
        raise
    else:
        _end(capture, captured, session, folder)


def _started(session: "SparkSession", folder: Path | Landing, options: str) -> Any:
    try:
        jvm, classic = java_session(session)
    except AttributeError as error:
        raise UsageError(
            "This Spark session cannot be captured",
            "It is a session of Spark Connect, whose plans are made on the server",
            "Use a session that runs in this process",
        ) from error
    from .refused import raise_refusals  # this module imports pyspark

    add_jar(session)
    raise_refusals()
    rules = jvm.provhouse.capturing.Capture
    if isinstance(folder, Landing):
        capture = rules.land(classic, folder.address, folder.run, folder.sample, options)
    else:
        capture = rules.start(classic, folder.resolve().as_uri(), options)
    if capture is None:
        raise _captured_already(rules.isConfigured(classic))
    return capture


def add_jar(session: "SparkSession") -> None:
    """Add the jar for the session's Spark version to a session that does not have the jar yet.

    Adding the jar is the slowest step at the beginning of a block. Raises UsageError for a version
    of Spark that capture does not support.
    """
    if session not in _WITH_JAR:
        jvm, _ = java_session(session)
        path = jar(_version(session, jvm))
        _show_to_threads(jvm, path)
        session.sql(f"ADD JAR '{path}'")
        _WITH_JAR.add(session)


def _version(session: "SparkSession", jvm: Any) -> SparkVersion:
    scala = jvm.scala.util.Properties.versionNumberString()
    java = jvm.java.lang.System.getProperty("java.specification.version")
    return fitting(session.version, scala, java)


def _show_to_threads(jvm: Any, jar: Path) -> None:
    """Let all threads of the driver find the classes of a jar.

    ``ADD JAR`` adds the classes only for the calling thread. In another thread, the code of a stage
    with taps could not be compiled, and Spark would interpret it instead.
    """
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    found = None
    while loader is not None:
        if loader.getClass().getName() == "org.apache.spark.util.MutableURLClassLoader":
            found = loader
        loader = loader.getParent()
    if found is not None:  # Spark was started by spark-submit, which PySpark also uses
        found.addURL(jvm.java.io.File(str(jar)).toURI().toURL())


def _captured_already(configured: bool) -> UsageError:
    wanted = "This Spark session is being captured already"
    if configured:
        return UsageError(
            wanted,
            "Its configuration has spark.provhouse.warehouse",
            "Leave out provhouse.capture, or start Spark without spark.provhouse settings",
        )
    return UsageError(
        wanted,
        "One block with provhouse.capture is inside of another",
        "End the first block before the second begins",
    )


def _end(
    capture: Any, captured: CaptureReports, session: "SparkSession", folder: Path | Landing
) -> None:
    capture.stop()
    if isinstance(folder, Path):
        store_functions(capture.functions(), session, folder)
    _fill(captured, capture)


def _fill(captured: CaptureReports, capture: Any) -> None:
    captured.ended = True
    captured.refusals = tuple(Refusal(**each) for each in json.loads(capture.refusals()))
    if refused := capture.refused():
        from .refused import Refused

        captured.refused = Refused(refused.problem(), refused.found(), refused.remedy())
