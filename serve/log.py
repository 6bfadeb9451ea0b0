"""What work says while it goes on, in the server's log."""

import logging

log = logging.getLogger("provhouse.serve")


class LogProgress:
    """A progress that keeps sentences and steps, and no counts."""

    def begin(self, step: str) -> None:
        """A line for each step."""
        log.info(step)

    def advance(self, done: int, total: int, unit: str = "") -> None:
        """Nobody looks on."""

    def count(self, name: str, value: int) -> None:
        """Nobody looks on."""

    def say(self, sentence: str) -> None:
        """One line."""
        log.info(sentence)
