"""The server's log, and a progress display that writes to the log."""

import logging

from provhouse.model.progress import Silent

log = logging.getLogger("provhouse.serve")


class LogProgress(Silent):
    """A progress display that logs the titles of steps and messages, but no counts."""

    def begin(self, step: str) -> None:
        """Log the title of a step."""
        log.info(step)

    def say(self, sentence: str) -> None:
        """Log a sentence."""
        log.info(sentence)
