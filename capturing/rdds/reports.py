"""Reports of successful tasks to the driver; Spark's Python workers run this module.

Spark adds the report of a task once, and ignores the reports of failed tasks. For the task that
writes a partition, it adds the report of the attempt whose file it keeps.
"""

from typing import Any

from pyspark.accumulators import AccumulatorParam


class Reports(AccumulatorParam[dict[int, Any]]):
    """Values by number. A number that gets two different values has the value None."""

    def zero(self, value: dict[int, Any]) -> dict[int, Any]:
        """Return an empty dictionary."""
        return {}

    def addInPlace(self, value1: dict[int, Any], value2: dict[int, Any]) -> dict[int, Any]:
        """Add values; set None for a number that has a different value already."""
        for number, value in value2.items():
            value1[number] = value if value1.get(number, value) == value else None
        return value1


class Latest(Reports):
    """The latest value of each number.

    Some formats first run a job to inspect a record, so a number may get several values.
    """

    def addInPlace(self, value1: dict[int, Any], value2: dict[int, Any]) -> dict[int, Any]:
        """Add values; replace the values of known numbers."""
        value1.update(value2)
        return value1
