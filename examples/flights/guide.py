"""Print the steps of the tour: the actions, what they show, and how long they took."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from printing import Printer

from provhouse.output.phrases import duration


class Guide(Printer):
    """Prints numbered edits, and checks each claim before it prints it."""

    edits = 0
    """The number of edits so far."""

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Print the title of a step and, at the end of the block, how long the step took."""
        began = monotonic()
        self.heading(title)
        yield
        self._console.print(f"({duration(monotonic() - began)})", style="dim")

    @contextmanager
    def edit(self, title: str) -> Iterator[None]:
        """Print the title of the next edit and, at the end of the block, how long the edit took."""
        self.edits += 1
        with self.step(f"Edit {self.edits}: {title}"):
            yield

    def shows(self, claim: str, holds: bool) -> None:
        """Print a claim that has been checked. Raises AssertionError if it does not hold."""
        if not holds:
            raise AssertionError(f"The tour shows something else: {claim}")
        self._console.print(f"✓ {claim}", style="green")
