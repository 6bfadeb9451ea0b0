"""Capture the writes of a Spark session, by rules that run in its JVM."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from provhouse.model.errors import ProvhouseError, UsageError
from provhouse.spark.pyspark_internals import java_session

from .jar import jar

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass
class Captured:
    """The writes of a block. It is complete once the block has ended."""

    writes: list[dict[str, Any]] = field(default_factory=list)
    """Descriptions of the writes that have begun, in order, for ``ingest/captured``."""
    refusal: ProvhouseError | None = None
    """The last write that was refused."""


@contextmanager
def capturing(session: "SparkSession", folder: Path, captured: Captured) -> Iterator[None]:
    """Capture all writes of a session during the block; association files go below ``folder``.

    ``captured`` is filled when the block ends, also by an exception. Raises UsageError for an
    operator or a write that is not covered, instead of Spark's error, and if the session is being
    captured already. Spark has then not begun to write.
    """
    capture = _started(session, folder)
    try:
        yield
    except Exception as error:
        _end(capture, captured)
        if captured.refusal and captured.refusal.wanted in str(error):
            raise captured.refusal from error
        raise
    except BaseException:  # Ctrl-C: what Spark may still report is not waited for
        capture.abandon()
        _fill(captured, capture)
        raise
    else:
        _end(capture, captured)


def _started(session: "SparkSession", folder: Path) -> Any:
    try:
        jvm, classic = java_session(session)
    except AttributeError as error:
        raise UsageError(
            "This Spark session cannot be captured",
            "It is a session of Spark Connect, whose plans are made on the server",
            "Use a session that runs in this process",
        ) from error
    session.sql(f"ADD JAR '{jar()}'")
    capture = jvm.provhouse.capturing.Capture.start(classic, folder.resolve().as_uri())
    if capture is None:
        raise UsageError(
            "This Spark session is being captured already",
            "One block with provhouse.capture is inside of another",
            "End the first block before the second begins",
        )
    return capture


def _end(capture: Any, captured: Captured) -> None:
    capture.stop()
    _fill(captured, capture)


def _fill(captured: Captured, capture: Any) -> None:
    captured.writes.extend(json.loads(capture.writes()))
    if refusal := capture.refusal():
        captured.refusal = UsageError(refusal.problem(), refusal.found(), refusal.remedy())
