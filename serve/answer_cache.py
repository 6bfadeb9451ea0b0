"""Answers that were given lately: who asks the same again gets the same bytes at once.

An answer changes within a generation by an erasure only, and it was checked when it was made. All
of them go when another generation is answered from, or something was erased.
"""

from threading import Lock
from time import monotonic

from cachetools import LRUCache
from fastapi import Response

from provhouse.model.question import Question
from provhouse.store.cache.partition_cache import MEGABYTE
from provhouse.store.names.erased import Mark

from .content_types import MEDIA_TYPES, Look

SHARE = 8
"""They take an eighth of what stays at hand beside the partitions."""
Asked = tuple[Question, Look]
State = tuple[int, Mark]
"""The generation that is answered from, and what was erased of its base by then."""
_Kept = tuple[bytes, float]
"""An answer, and when it was made."""


class Given:
    """Answers of one state at a time, up to a share of ``hot_mb`` megabytes."""

    def __init__(self, hot_mb: int) -> None:
        self._state: State | None = None
        self._answers: LRUCache[Asked, _Kept] = LRUCache(hot_mb * MEGABYTE // SHARE, _size)
        self._lock = Lock()

    def again(self, state: State | None, asked: Asked) -> Response | None:
        """What was answered to the same question in the same form, if it is still here.

        ``state`` is that of now; all answers of another go. ``Age`` tells how many seconds ago
        (RFC 9111); the times in it are those of the first time.
        """
        with self._lock:
            if state != self._state:
                self._state = state
                self._answers.clear()
            kept = self._answers.get(asked)
        if kept is None:
            return None
        body, made = kept
        age = {"Age": f"{monotonic() - made:.0f}"}
        return Response(body, media_type=MEDIA_TYPES[asked[1].form], headers=age)

    def keep(self, state: State, asked: Asked, body: bytes) -> None:
        """Keep an answer, unless it is too large, until others were asked for more lately.

        ``state`` is one from before the answer was made.
        """
        with self._lock:
            if state == self._state and len(body) <= self._answers.maxsize:
                self._answers[asked] = body, monotonic()


def _size(kept: _Kept) -> int:
    return len(kept[0])
