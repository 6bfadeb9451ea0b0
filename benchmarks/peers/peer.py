"""The interface that every contender of `peers.py` implements."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import numpy as np

from provhouse.model.arrays import I64
from provhouse.model.columns import DST, SRC
from provhouse.model.errors import TooSlow
from provhouse.model.progress import Stopwatch
from provhouse.model.question import Direction


@dataclass(frozen=True)
class Given:
    """The input of a contender, and a folder for its own files."""

    items: Path
    """The Parquet file of items, with the column ``id``."""
    triples: Path
    """The Parquet file of triples, with the columns ``src`` and ``dst``."""
    settings: dict[str, str]
    """The settings of the warehouse that contains the same triples."""
    limit: float
    """The time limit for an answer, in seconds."""
    scratch: Path


class Peer:
    """A contender, which identifies items by number. The caller closes ``stack`` after use."""

    process: int | None = None
    """The ID of the process whose memory counts as the contender's.

    It need not be a child of this process.
    """

    def __init__(self, given: Given) -> None:
        self.given = given
        self.storage = given.scratch
        """The files whose size counts: those the contender stores, or reads at each start."""
        self.watch = Stopwatch()
        """The times of the steps in which the contender loads its input."""
        self.stack = ExitStack()
        """The resources that are closed after use."""
        self.late = Event()
        """Set when the time limit of the question has passed."""

    def load(self) -> None:
        """Load the input, so that questions can be asked."""
        raise NotImplementedError

    def ask(self, item: int, direction: Direction) -> I64:
        """Return the items that ``item`` derives from, or that derive from it, in any order."""
        raise NotImplementedError

    def ask_named(self, item: str, direction: Direction) -> bool:
        """Ask for an answer that includes names, triples and attributes.

        Return False if the contender does not store these.
        """
        return False

    def levels(self, item: int, reached: Callable[[I64], I64]) -> I64:
        """Return all items that ``item`` leads to, found by calling ``reached`` for each level.

        ``reached`` returns the items that are one step away from the given items.
        Raises TooSlow if the time limit passes.
        """
        found = np.empty(0, np.int64)
        frontier = np.array([item], np.int64)
        while len(frontier):
            if self.late.is_set():
                raise TooSlow("The answer was not complete within the time limit")
            frontier = np.setdiff1d(reached(frontier), found)
            found = np.union1d(found, frontier)
        return found

    def cancel(self) -> None:
        """Stop the current question, which exceeds the time limit. Called by another thread."""


def ends(direction: Direction) -> tuple[str, str]:
    """Return the columns of the near and the far end of a triple in this direction."""
    return (DST, SRC) if direction == "upstream" else (SRC, DST)
