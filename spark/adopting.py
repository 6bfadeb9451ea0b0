"""Check whether provhouse can use a Spark session that the program around it created.

Such a session lacks what provhouse sets in sessions of its own: Delta's jars, the daemon that
imports our modules ahead of the first task, and an unlimited size of results. Our tasks also run
without these.
"""

import sys
from typing import TYPE_CHECKING

from provhouse.model.errors import Unavailable

if TYPE_CHECKING:
    from pyspark import SparkContext


def check_usable(context: "SparkContext") -> None:
    """Raise Unavailable, with a remedy, if this session would make our tasks fail or collide."""
    if context.getConf().get("spark.speculation", "false").lower() == "true":
        raise Unavailable(
            "Cannot use the Spark session of this program",
            "spark.speculation is on, so that two attempts of a task could write the same file",
            "Create the session with spark.speculation=false",
        )
    try:
        context.parallelize([0], 1).map(_import).collect()
    except Exception as error:
        raise Unavailable(
            "The workers of this program's Spark session cannot run provhouse",
            _reason(str(error)),
            f"Set PYSPARK_PYTHON={sys.executable} before the session is created",
        ) from error


def _import(_: int) -> None:
    """Import in a worker what most tasks need."""
    import numba  # noqa: F401
    import pyarrow  # noqa: F401


def _reason(message: str) -> str:
    """Return the line of Spark's message that says what is wrong, or its first line."""
    lines = message.strip().splitlines() or ["Spark gave no reason"]
    telling = [line for line in lines if "NotFoundError" in line or "MISMATCH" in line]
    return (telling or lines)[0].strip()
