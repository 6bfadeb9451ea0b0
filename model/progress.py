"""How a long piece of work tells what it is doing, without knowing who listens."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from time import perf_counter
from typing import Protocol

from .errors import TooSlow


class Progress(Protocol):
    """Somebody who is told about steps, counts and sentences as they come."""

    def begin(self, step: str) -> None:
        """A step begins; the one before it is over."""

    def advance(self, done: int, total: int, unit: str = "") -> None:
        """The step that runs has done this much of it; the unit, if it has one that people know."""

    def count(self, name: str, value: int) -> None:
        """A count became known."""

    def say(self, sentence: str) -> None:
        """Something happened that a person wants to know."""


class Silent:
    """A listener who keeps nothing."""

    def begin(self, step: str) -> None:
        """Nobody listens."""

    def advance(self, done: int, total: int, unit: str = "") -> None:
        """Nobody listens."""

    def count(self, name: str, value: int) -> None:
        """Nobody listens."""

    def say(self, sentence: str) -> None:
        """Nobody listens."""


LOOK_SECONDS = 0.2


class Stopwatch:
    """Seconds spent in each named step, and the sum as ``total``.

    ``limit`` is how many there may be; ``gone`` is set when nobody waits any longer.
    """

    def __init__(self, limit: float | None = None, gone: Event | None = None) -> None:
        self.seconds: dict[str, float] = {}
        self._limit = limit
        self._gone = gone
        self._began = perf_counter()

    def pause(self) -> float | None:
        """How long to wait before this is asked again, None for ever; raises TooSlow if late."""
        left = self.seconds_left()
        if self._gone is None:
            return left
        return LOOK_SECONDS if left is None else min(left, LOOK_SECONDS)

    def seconds_left(self) -> float | None:
        """The seconds that are left, if there is a limit; raises TooSlow if none are."""
        if self._gone and self._gone.is_set():
            raise TooSlow("Whoever asks should wait for the answer", "They have left")
        if self._limit is None:
            return None
        left = self._limit - (perf_counter() - self._began)
        if left <= 0:
            raise TooSlow(
                f"The answer should take at most {self._limit:g} seconds",
                "It would take longer",
                "Ask for less, or allow more time",
            )
        return left

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Count the time of the block under ``name``."""
        began = perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - began

    def total(self) -> dict[str, float]:
        """All steps, and the whole time since the watch was made."""
        return {**self.seconds, "total": perf_counter() - self._began}
