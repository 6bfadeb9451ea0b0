"""What is asked of a contender of `peers.py`, whichever it is."""

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
    """Where a contender finds what it is to hold, and a folder of its own."""

    items: Path
    """Parquet: id."""
    triples: Path
    """Parquet: src, dst."""
    settings: dict[str, str]
    """Those of the warehouse, which holds the same."""
    limit: float
    """Seconds that an answer may take."""
    scratch: Path


class Peer:
    """A contender, in use until it is closed; it knows items by number."""

    process: int | None = None
    """A process that it needs and that need not be a child of ours."""

    def __init__(self, given: Given) -> None:
        self.given = given
        self.storage = given.scratch
        """What it keeps on disk, or starts from each time."""
        self.watch = Stopwatch()
        """Of the steps of its load."""
        self.stack = ExitStack()
        """What it lets go of at its end."""
        self.late = Event()
        """Whether the time for the question is over."""

    def load(self) -> None:
        """Take in what is given, until the first question can be asked."""
        raise NotImplementedError

    def ask(self, item: int, direction: Direction) -> I64:
        """All items that one is derived from, or that are derived from it, in no order."""
        raise NotImplementedError

    def ask_named(self, item: str, direction: Direction) -> bool:
        """Ask for names, triples and attributes too; False where these are not held."""
        return False

    def levels(self, item: int, reached: Callable[[I64], I64]) -> I64:
        """All items found, for who can only tell what some items reach in one step."""
        found = np.empty(0, np.int64)
        frontier = np.array([item], np.int64)
        while len(frontier):
            if self.late.is_set():
                raise TooSlow("All levels should be there in time")
            frontier = np.setdiff1d(reached(frontier), found)
            found = np.union1d(found, frontier)
        return found

    def cancel(self) -> None:
        """Stop what is going on for the question that is late; called by another thread."""


def ends(direction: Direction) -> tuple[str, str]:
    """The columns of the near and the far end of a triple."""
    return (DST, SRC) if direction == "upstream" else (SRC, DST)
