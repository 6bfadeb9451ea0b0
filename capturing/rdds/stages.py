"""Stages of RDDs: what enters, the functions of the program, and how their tasks begin."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .entering import Entering, Positioned, Tap, Whole

if TYPE_CHECKING:
    from pyspark import RDD

Enter = Callable[[int, Iterable[Any]], Positioned]
"""Opens the input of a task by its partition."""
Step = Callable[[int, Entering, Iterator[Any]], tuple[Entering, Iterator[Any]]]
"""Applies a function of the program to the records of a partition."""
Leave = Callable[[Entering, Iterator[Any]], Iterator[Any]]


@dataclass(frozen=True, eq=False)
class Group:
    """An operator that merges records, and the folder of its association files."""

    kind: str
    """The name of the method, such as ``reduceByKey``."""
    by: str
    place: str
    """The file and line of the program that has called it."""
    folder: str
    slots: "tuple[Slot, ...]"
    exactness: str = "exact"


Slot = Group | int
"""A group whose keys a column has, or ``ROWS``."""


@dataclass(frozen=True)
class FileScan:
    """A part of a source that a stage reads; it is listed among the sources of each write."""

    parts: "tuple[StagePart, ...]"
    keyed: "Keyed | None" = None
    """The key by which its rows are named, if one is declared."""


@dataclass(frozen=True)
class Keyed:
    """The name of a declared key, and the folder to which tasks write the keys of rows."""

    name: str
    folder: str


@dataclass(frozen=True)
class StagePart:
    """A part of a file, which one partition reads."""

    number: int
    """Its number in the ids of its rows."""
    path: str
    root: str
    table: str
    bytes: int
    changed: int
    start: int
    unit: str
    """``lines`` or ``records``: what the rows of the file are."""


@dataclass(frozen=True)
class StageBranch:
    """One input of an RDD, with all functions of its stage. A union has several."""

    base: "RDD[Any]"
    enter: Enter
    slots: tuple[Slot, ...]
    scans: tuple[FileScan, ...]
    steps: tuple[tuple[int, Step], ...] = ()
    """The functions, each with the value that ``first`` had when it was added."""
    first: int = 0
    """The number of the partitions of the branches before."""
    absence: bool = False
    """Whether records may depend on the absence of others, as after an outer join."""

    def then(self, step: Step) -> "StageBranch":
        """Return the branch with one more function."""
        return replace(self, steps=(*self.steps, (self.first, step)))

    def left(self, leave: Leave) -> "RDD[Any]":
        """Return the RDD of what leaves the stage."""
        return self.base.mapPartitionsWithIndex(_task(self.enter, self.steps, leave))


def _task(
    enter: Enter, steps: Sequence[tuple[int, Step]], leave: Leave
) -> Callable[[int, Iterable[Any]], Iterator[Any]]:
    def run(split: int, records: Iterable[Any]) -> Iterator[Any]:
        entered = enter(split, records)
        entering: Entering = entered
        found = entered.records
        for first, step in steps:
            entering, found = step(first + split, entering, found)
        return leave(entering, found)

    return run


def streaming(function: Callable[[int, Iterator[Any]], Iterable[Any]]) -> Step:
    """Return the step of a function that gives what a record leads to before it takes the next."""
    return lambda split, entering, records: (entering, iter(function(split, records)))


def whole(tap: Tap, function: Callable[[int, Iterator[Any]], Iterable[Any]]) -> Step:
    """Return the step of a function whose results derive from all records of its partition."""

    def step(
        split: int, before: Entering, records: Iterator[Any]
    ) -> tuple[Entering, Iterator[Any]]:
        entering = Whole(tap, before, records)
        return entering, iter(function(split, entering.taken))

    return step


def aligned(branches: Sequence[StageBranch]) -> tuple[tuple[Slot, ...], list[tuple[int, ...]]]:
    """Return the slots of a union, and for each branch the columns of its own slots."""
    slots = list[Slot]()
    columns = list[tuple[int, ...]]()
    for branch in branches:
        free = list(range(len(slots)))
        found = list[int]()
        for slot in branch.slots:
            at = next((column for column in free if slots[column] is slot), None)
            if at is None:
                at = len(slots)
                slots.append(slot)
            else:
                free.remove(at)
            found.append(at)
        columns.append(tuple(found))
    return tuple(slots), columns


def taps(branches: Sequence[StageBranch], folder: str) -> tuple[tuple[Slot, ...], list[Tap]]:
    """Return the slots of some branches, and the tap that each of them writes to a folder."""
    slots, columns = aligned(branches)
    return slots, [Tap(folder, each, len(slots)) for each in columns]
