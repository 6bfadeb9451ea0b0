"""Reports of tasks to the driver once they have succeeded; Spark's Python workers run this.

Spark adds what a task has reported once, and nothing of a task that fails. For the task that writes
a partition, it is the attempt whose file Spark has kept.
"""

from typing import Any

from pyspark.accumulators import AccumulatorParam


class Reports(AccumulatorParam[dict[int, Any]]):
    """Values by number; None for a number with two different values."""

    def zero(self, value: dict[int, Any]) -> dict[int, Any]:
        """Return no values."""
        return {}

    def addInPlace(self, value1: dict[int, Any], value2: dict[int, Any]) -> dict[int, Any]:
        """Add values."""
        for number, value in value2.items():
            value1[number] = value if value1.get(number, value) == value else None
        return value1


class Latest(Reports):
    """Values by number; of several, the latest.

    Some formats run a first job to look at a record.
    """

    def addInPlace(self, value1: dict[int, Any], value2: dict[int, Any]) -> dict[int, Any]:
        """Add values, which replace others."""
        value1.update(value2)
        return value1
