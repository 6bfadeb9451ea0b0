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
from provhouse.store.names.names import Mark

from .content_types import ResponseFormat

SHARE = 8
"""They take an eighth of what stays at hand beside the partitions."""
Key = tuple[Question, ResponseFormat]
Version = tuple[int, Mark]
"""The generation that is answered from, and what was erased of its base by then."""
_Entry = tuple[bytes, float]
"""An answer, and when it was made."""


class AnswerCache:
    """Answers of one version at a time, up to a share of ``hot_mb`` megabytes."""

    def __init__(self, hot_mb: int) -> None:
        self._version: Version | None = None
        self._answers: LRUCache[Key, _Entry] = LRUCache(hot_mb * MEGABYTE // SHARE, _size)
        self._lock = Lock()

    def get(self, version: Version | None, key: Key) -> Response | None:
        """What was answered to the same question in the same form, if it is still here.

        ``version`` is that of now; all answers of another go. ``Age`` tells how many seconds ago
        (RFC 9111); the times in it are those of the first time.
        """
        with self._lock:
            if version != self._version:
                self._version = version
                self._answers.clear()
            entry = self._answers.get(key)
        if entry is None:
            return None
        body, made = entry
        age = {"Age": f"{monotonic() - made:.0f}"}
        return Response(body, media_type=key[1].media_type, headers=age)

    def put(self, version: Version, key: Key, body: bytes) -> None:
        """Keep an answer, unless it is too large, until others were key for more lately.

        ``version`` is one from before the answer was made.
        """
        with self._lock:
            if version == self._version and len(body) <= self._answers.maxsize:
                self._answers[key] = body, monotonic()


def _size(entry: _Entry) -> int:
    return len(entry[0])
