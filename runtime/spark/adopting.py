"""Check whether provhouse can use a Spark session that the calling program created.

Such a session lacks four properties of provhouse's own sessions: Delta's jars, the daemon that
imports provhouse's modules before the first task, an unlimited size of results and, on a cluster,
provhouse's code. Tasks can run without the first three, but not without the code.
"""

import sys
from importlib.metadata import version
from typing import TYPE_CHECKING

from provhouse.model.errors import Unavailable

from .cluster import reason

if TYPE_CHECKING:
    from pyspark import SparkContext


def check_usable(context: "SparkContext") -> None:
    """Raise Unavailable, with a remedy, if provhouse's tasks would fail in this session."""
    try:
        (found,) = context.parallelize([0], 1).map(_installed).collect()
    except Exception as error:
        raise Unavailable(
            "The workers of this program's Spark session cannot run provhouse",
            reason(str(error)),
            f"Set PYSPARK_PYTHON={sys.executable} before the session is created; on a cluster, "
            f"install provhouse {version('provhouse')} on every worker",
        ) from error
    if found != version("provhouse"):
        raise Unavailable(
            "The workers of this program's Spark session have another version of provhouse",
            f"They have {found}, and this program has {version('provhouse')}",
            "Install the same version on every worker",
        )


def _installed(_: int) -> str:
    """Import the packages that most tasks use; return the version of provhouse in this worker."""
    import numba  # noqa: F401
    import pyarrow  # noqa: F401

    return version("provhouse")
