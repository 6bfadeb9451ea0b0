"""A cache of recent answers, so that a repeated question gets the same bytes at once.

A cached answer was verified when it was computed, and within one generation only an erasure could
change it. So the cache is emptied when the generation changes or something is erased.
"""

from threading import Lock
from time import monotonic

from cachetools import LRUCache
from fastapi import Response

from provhouse.model.question import Question
from provhouse.store.cache.partition_cache import MEGABYTE
from provhouse.store.names.erased import Mark

from .content_types import ResponseFormat

SHARE = 8
"""The cache may use 1/8 of ``hot_mb``, in addition to the ``hot_mb`` that partitions may use."""
Key = tuple[Question, ResponseFormat]
Version = tuple[int, Mark]
"""A generation, and a value that changes with every erasure in the generation's base."""
_Entry = tuple[bytes, float]
"""The bytes of an answer, and the time when the answer was stored in the cache."""


class AnswerCache:
    """Answers of one ``Version``. A full cache drops the least recently used answers."""

    def __init__(self, hot_mb: int) -> None:
        self._version: Version | None = None
        self._answers: LRUCache[Key, _Entry] = LRUCache(hot_mb * MEGABYTE // SHARE, _size)
        self._lock = Lock()

    def get(self, version: Version | None, key: Key) -> Response | None:
        """Return the cached response to the question and format in ``key``, or None.

        If ``version`` differs from the last call's version, the cache is emptied. The response's
        header ``Age`` (RFC 9111) is the number of seconds since the answer was computed. Timings
        inside the answer stay those of the original computation.
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
        """Store an answer unless it is larger than the whole cache.

        ``version`` must have been determined before the answer was computed. If the cache has been
        emptied for another version since then, do nothing.
        """
        with self._lock:
            if version == self._version and len(body) <= self._answers.maxsize:
                self._answers[key] = body, monotonic()


def _size(entry: _Entry) -> int:
    return len(entry[0])
