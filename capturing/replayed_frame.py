"""Compute frames of a captured session again, with plans made in the session's JVM."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from provhouse.model.arrays import I64
from provhouse.model.errors import UsageError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Replay:
    """A frame that can be computed again on a different selection of its source rows."""

    def __init__(
        self, session: "SparkSession", rules: Any, program: "DataFrame | int", writes: Sequence[int]
    ) -> None:
        """Prepare the replay of ``program``, a frame or the number of one of the block's writes.

        ``rules`` are the block's rules in the JVM. The replay also recomputes the tables whose
        files ``writes`` have made. Raises UsageError if the program reads a source that cannot be
        restricted.
        """
        self._session = session
        if isinstance(program, int):
            self._java = rules.replayWrite(program, [*writes])
        else:
            plan: Any = program
            self._java = rules.replay(plan._jdf, [*writes])
        if refused := self._java.refusal():
            raise UsageError(refused.problem(), refused.found(), refused.remedy())

    def files(self) -> list[dict[str, Any]]:
        """Return the files that the plan reads, each with its path and root address and state."""
        found: list[dict[str, Any]] = json.loads(self._java.files())
        return found

    def number(self, numbers: Sequence[int]) -> None:
        """Set the numbers of the files; the ids of a file's rows contain the file's number.

        ``numbers`` is in the order of ``files``.
        """
        self._java.number(json.dumps([*numbers]))

    def keep(self, ids: I64) -> None:
        """Keep the rows with the given sorted ids in memory, to compute frames on some of them.

        Keeps no rows if the result depends on the positions of rows, as with random numbers.
        """
        self._java.keep(_bytes(ids))

    def compute(self, frame: "DataFrame") -> None:
        """Compute all rows and columns of a frame, and discard them."""
        found: Any = frame
        self._java.compute(found._jdf)

    def on_few(self, ids: I64, only: bool) -> "DataFrame":
        """Return the frame on rows with the given sorted ids if ``only``, else on other rows."""
        return self._frame(self._java.on(_bytes(ids), only))

    def on_many(self, ids: "DataFrame", only: bool) -> "DataFrame":
        """Return the frame on rows whose ids are in ``ids`` if ``only``, else on all other rows."""
        frame: Any = ids
        return self._frame(self._java.on(frame._jdf, only))

    def _frame(self, rows: Any) -> "DataFrame":
        from pyspark.sql import DataFrame

        return DataFrame(rows, self._session)


def _bytes(ids: I64) -> bytes:
    return ids.astype(">i8").tobytes()
