"""Compute frames of a captured session again, by plans that its JVM makes."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from provhouse.model.arrays import I64
from provhouse.model.errors import UsageError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Replay:
    """A frame, or what a write has written, that can be computed on other rows of its sources."""

    def __init__(
        self, session: "SparkSession", rules: Any, frame: "DataFrame | None", writes: Sequence[int]
    ) -> None:
        """Prepare a frame; None means what the last of the writes has written.

        Tables whose files these writes have made are computed again too. Raises UsageError if the
        frame reads what cannot be restricted.
        """
        java: Any = frame._jdf if frame is not None else None
        self._session, self._java = session, rules.replay(java, [*writes])
        if refused := self._java.refusal():
            raise UsageError(refused.problem(), refused.found(), refused.remedy())

    def files(self) -> list[dict[str, Any]]:
        """Return the files that are read: ``path`` and ``root`` as addresses, and their state."""
        found: list[dict[str, Any]] = json.loads(self._java.files())
        return found

    def number(self, numbers: Sequence[int]) -> None:
        """Give the files, in order, the numbers that are in the ids of their rows."""
        self._java.number(json.dumps([*numbers]))

    def on_few(self, ids: I64, only: bool) -> "DataFrame":
        """Return the frame on a few rows only, or on all others; the ids are sorted."""
        return self._frame(self._java.on(_packed(ids), only))

    def on_many(self, ids: "DataFrame", only: bool) -> "DataFrame":
        """Return the frame on the rows whose ids a frame has, or on all others."""
        frame: Any = ids
        return self._frame(self._java.on(frame._jdf, only))

    def load(self, ids: I64) -> "list[DataFrame]":
        """Read rows of all scans into memory; return them for each scan, with the id as the last.

        The ids are sorted.
        """
        self._java.load(_packed(ids))
        return [self._frame(rows) for rows in self._java.loaded()]

    def on_loaded(self, ids: I64) -> "DataFrame":
        """Return the frame on some of the rows in memory; the ids are sorted."""
        return self._frame(self._java.onLoaded(_packed(ids)))

    def _frame(self, rows: Any) -> "DataFrame":
        from pyspark.sql import DataFrame

        return DataFrame(rows, self._session)


def _packed(ids: I64) -> bytes:
    return ids.astype(">i8").tobytes()
