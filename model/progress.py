"""Progress reports and time limits of long work, independent of any display."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from time import perf_counter
from typing import Protocol

from .errors import TooSlow


class Progress(Protocol):
    """A receiver of steps, counts and messages, for example the display of a terminal."""

    def begin(self, step: str) -> None:
        """Start a step, which ends the step before it."""

    def advance(self, done: int, total: int, unit: str = "") -> None:
        """Report how much of the current step is done; ``unit`` is shown if it is not empty."""

    def count(self, name: str, value: int) -> None:
        """Report a count, such as the number of items read."""

    def say(self, sentence: str) -> None:
        """Report an event as a sentence for people."""


class Silent:
    """A receiver that ignores every report."""

    def begin(self, step: str) -> None:
        """Do nothing."""

    def advance(self, done: int, total: int, unit: str = "") -> None:
        """Do nothing."""

    def count(self, name: str, value: int) -> None:
        """Do nothing."""

    def say(self, sentence: str) -> None:
        """Do nothing."""


LOOK_SECONDS = 0.2
"""The maximum number of seconds between two checks for a disconnected client."""


START = "start "
"""The prefix that marks a program's start among the step durations, as in ``start Neo4j``."""
_SHORTEST_START = 0.5
"""The minimum wait in seconds that counts as a start. Connecting to a running server takes less."""


class Stopwatch:
    """A watch that measures the seconds of each named step and in total, with an optional limit.

    ``limit`` is the number of seconds allowed; ``gone`` is set when the client has disconnected.
    The time spent waiting for a program to start is counted separately from the step in which it
    occurs.
    """

    def __init__(self, limit: float | None = None, gone: Event | None = None) -> None:
        self.seconds: dict[str, float] = {}
        self.remedy = "Ask for less, or allow more time"
        """The remedy of the TooSlow error at the limit."""
        self._limit = limit
        self._gone = gone
        self._began = perf_counter()
        self._starts: dict[str, float] = {}

    def inner(self) -> "Stopwatch":
        """Return a watch for work inside a step of this watch.

        Starts that the inner watch measures are counted by this watch too.
        """
        watch = Stopwatch()
        watch._starts = self._starts
        return watch

    @property
    def disconnected(self) -> bool:
        """Whether the client has disconnected."""
        return self._gone is not None and self._gone.is_set()

    def pause(self) -> float | None:
        """Return the seconds after which a waiting caller must call again; None for never.

        Raises TooSlow if the time is up or the client has disconnected.
        """
        left = self.seconds_left()
        if self._gone is None:
            return left
        return LOOK_SECONDS if left is None else min(left, LOOK_SECONDS)

    def seconds_left(self) -> float | None:
        """Return the seconds left, or None if there is no limit.

        Raises TooSlow if the time is up or the client has disconnected.
        """
        if self.disconnected:
            raise TooSlow("The question was cancelled", "The client has disconnected")
        if self._limit is None:
            return None
        left = self._limit - (perf_counter() - self._began)
        if left <= 0:
            raise TooSlow(
                f"The answer takes longer than {self._limit:g} seconds",
                "It was stopped at this limit",
                self.remedy,
            )
        return left

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Add the block's duration, without the program starts in it, to the step ``name``."""
        began, before = perf_counter(), sum(self._starts.values())
        try:
            yield
        finally:
            started = sum(self._starts.values()) - before
            took = perf_counter() - began - started
            self.seconds[name] = self.seconds.get(name, 0.0) + took

    @contextmanager
    def start(self, program: str) -> Iterator[None]:
        """If a program starts in the block, count the block's duration apart from its step."""
        began = perf_counter()
        try:
            yield
        finally:
            if (took := perf_counter() - began) >= _SHORTEST_START:
                self._starts[START + program] = self._starts.get(START + program, 0.0) + took

    def total(self) -> dict[str, float]:
        """Return the seconds of all steps and starts; ``total`` is the time since the start."""
        return {**self.seconds, **self._starts, "total": perf_counter() - self._began}
