"""Whether a program goes wrong when it is computed again."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..replayed_frame import Replay
from .fault_tests import Raises, Test
from .rdd_replay import RddReplay

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Wrong:
    """The test of a replay, and which of its rows count."""

    test: Test
    key: Mapping[str, object] = field(default_factory=dict)
    """The values of the row's key; empty if any row counts."""

    def is_in(self, replay: Replay | RddReplay, frame: "DataFrame") -> bool:
        """Return whether a frame has a wrong row, or fails with the error that is looked for.

        Another error of Spark is not the fault that is looked for. Errors in the text of a
        condition, and those of a function, are raised.
        """
        from py4j.protocol import Py4JJavaError
        from pyspark.errors import PySparkException

        rows = self._rows(frame)
        if isinstance(self.test, str):
            rows = rows.where(self.test)  # analysed here: an error in the condition is raised
        try:
            if isinstance(self.test, Raises):
                replay.compute(frame)
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
