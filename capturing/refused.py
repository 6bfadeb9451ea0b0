"""The error of provhouse that a refused write raises in its block."""

from typing import Any

from pyspark.errors import IllegalArgumentException, PySparkException

from provhouse.model.errors import ProvhouseError, UsageError
from provhouse.runtime.spark.pyspark_internals import convert_java_errors

_CLASS = "provhouse.capturing.Unsupported"


class Refused(UsageError, IllegalArgumentException):
    """The error for a write whose lineage cannot be captured; Spark has not begun the write.

    The class is also an ``IllegalArgumentException``, since programs may catch Spark's own errors.
    """

    def __init__(self, wanted: str, found: str = "", remedy: str = "") -> None:
        """State the problem, the cause and the remedy."""
        PySparkException.__init__(self, "\n".join((wanted, found, remedy)))
        self.args = wanted, found, remedy
        self.wanted, self.found, self.remedy = wanted, found, remedy

    __str__ = ProvhouseError.__str__


def raise_refusals() -> None:
    """Make PySpark raise ``Refused`` when our rules refuse a write, until this process ends."""
    convert_java_errors(_refused)


def _refused(error: Any) -> Refused | None:
    """Return the refusal among a JVM exception and its causes, or None."""
    while error is not None:
        if error.getClass().getName() == _CLASS:
            return Refused(error.problem(), error.found(), error.remedy())
        error = error.getCause()
    return None
