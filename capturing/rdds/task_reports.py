"""Reports of successful tasks to the driver; Spark's Python workers run this module.

Spark adds the report of a task only once, and ignores the reports of failed tasks. If a task that
writes a partition has several attempts, Spark adds the report of the attempt whose file it keeps.
"""

from typing import Any

from pyspark.accumulators import AccumulatorParam


class Reports(AccumulatorParam[dict[int, Any]]):
    """Values, keyed by number. If two added values for a number differ, its value becomes None."""

    def zero(self, value: dict[int, Any]) -> dict[int, Any]:
        """Return an empty dictionary."""
        return {}

    def addInPlace(self, value1: dict[int, Any], value2: dict[int, Any]) -> dict[int, Any]:
        """Add values. If a number already has a different value, set its value to None."""
        for number, value in value2.items():
            value1[number] = value if value1.get(number, value) == value else None
        return value1


class Latest(Reports):
    """Values, keyed by number; the last value added for a number counts.

    Some formats first run a job to inspect a record, so several values may be added for a number.
    """

    def addInPlace(self, value1: dict[int, Any], value2: dict[int, Any]) -> dict[int, Any]:
        """Add values. If a number already has a value, replace the value."""
        value1.update(value2)
        return value1
