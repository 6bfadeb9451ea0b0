"""Check whether a run or a replay of a program fails a test."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .fault_tests import Raises, Test

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Wrong:
    """A test for the result of a program, and the key of the rows that it applies to."""

    test: Test
    key: Mapping[str, object] = field(default_factory=dict)
    """The key of the wrong row, by column; empty if the test applies to any row."""

    def is_in(self, frame: "DataFrame", compute: Callable[["DataFrame"], object]) -> bool:
        """Return whether a frame has a wrong row, or fails with the error of the test.

        ``compute`` computes all rows of the frame. Returns False for other errors of Spark. Errors
        in the test's SQL condition, and errors that a test function raises, are passed on.
        """
        from py4j.protocol import Py4JJavaError
        from pyspark.errors import PySparkException

        rows = self._rows(frame)
        if isinstance(self.test, str):
            rows = rows.where(self.test)  # outside of try, to raise errors in the condition
        try:
            if isinstance(self.test, Raises):
                compute(frame)
                return False
            if isinstance(self.test, str):
                return bool(rows.head(1))
            found = rows.collect()
        except (PySparkException, Py4JJavaError) as error:
            return isinstance(self.test, Raises) and self.test.text in str(error)
        return any(map(self.test, found))

    def _rows(self, frame: "DataFrame") -> "DataFrame":
        from pyspark.sql import functions as F

        for name, value in self.key.items():
            frame = frame.where(F.col(f"`{name}`").eqNullSafe(F.lit(value)))
        return frame
