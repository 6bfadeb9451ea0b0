"""Answers that were given lately: who asks the same again gets the same bytes at once.

An answer never changes within a generation, and it was checked when it was made. All of them go
when another generation is answered from.
"""

from threading import Lock
from time import monotonic

from cachetools import LRUCache
from fastapi import Response

from provhouse.query.question import Question
from provhouse.store.cached import MEGABYTE

from .forms import MEDIA_TYPES, Look

SHARE = 8
"""They take an eighth of what stays at hand beside the partitions."""
Asked = tuple[Question, Look]
_Kept = tuple[bytes, float]
"""An answer, and when it was made."""


class Given:
    """Answers of one generation at a time, up to a share of ``hot_mb`` megabytes."""

    def __init__(self, hot_mb: int) -> None:
        self._generation = 0
        self._answers: LRUCache[Asked, _Kept] = LRUCache(hot_mb * MEGABYTE // SHARE, _size)
        self._lock = Lock()

    def again(self, generation: int | None, asked: Asked) -> Response | None:
        """What was answered to the same question in the same form, if it is still here.

        ``Age`` tells how many seconds ago (RFC 9111); the times in it are those of the first time.
        """
        with self._lock:
            kept = self._answers.get(asked) if generation == self._generation else None
        if kept is None:
            return None
        body, made = kept
        age = {"Age": f"{monotonic() - made:.0f}"}
        return Response(body, media_type=MEDIA_TYPES[asked[1].form], headers=age)

    def keep(self, generation: int, asked: Asked, body: bytes) -> None:
        """Keep an answer, unless it is too large, until others were asked for more lately."""
        with self._lock:
            if generation > self._generation:
                self._generation = generation
                self._answers.clear()
            if generation == self._generation and len(body) <= self._answers.maxsize:
                self._answers[asked] = body, monotonic()


def _size(kept: _Kept) -> int:
    return len(kept[0])
