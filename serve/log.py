"""The server's log, and a progress display that writes to the log."""

import logging

log = logging.getLogger("provhouse.serve")


class LogProgress:
    """A progress display that logs steps and sentences, but no counts."""

    def begin(self, step: str) -> None:
        """Log the title of a step."""
        log.info(step)

    def advance(self, done: int, total: int, unit: str = "") -> None:
        """Do nothing: the log has no progress bars."""

    def count(self, name: str, value: int) -> None:
        """Do nothing: the log has no counts."""

    def say(self, sentence: str) -> None:
        """Log a sentence."""
        log.info(sentence)
