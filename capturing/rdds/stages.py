"""Stages of RDDs: their input, the functions of the program, and the start of their tasks."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .entering import Entering, Positioned, Tap, Whole

if TYPE_CHECKING:
    from pyspark import RDD

Enter = Callable[[int, Iterable[Any]], Positioned]
"""A function that opens the input of a task, given the number of its partition."""
Step = Callable[[int, Entering, Iterator[Any]], tuple[Entering, Iterator[Any]]]
"""A function that applies one of the program's functions to the records of a partition."""
Leave = Callable[[Entering, Iterator[Any]], Iterator[Any]]


@dataclass(frozen=True, eq=False)
class Group:
    """An operator that merges records, with the folder of its association files."""

    kind: str
    """The name of the RDD's method, such as ``reduceByKey``."""
    by: str
    place: str
    """The file and line of the call in the program."""
    folder: str
    slots: "tuple[Slot, ...]"
    exactness: str = "exact"


Slot = Group | int
"""The content of a slot's column: keys of this group, or ids of source rows if it is ``ROWS``."""


@dataclass(frozen=True)
class FileScan:
    """The parts of files that a stage reads. Each write of the stage lists them as sources."""

    parts: "tuple[StagePart, ...]"
    keyed: "Keyed | None" = None
    """The declared key that names the rows, or None if the program has not declared a key."""


@dataclass(frozen=True)
class Keyed:
    """The name of a declared key, and the folder where tasks write the keys of rows."""

    name: str
    folder: str


@dataclass(frozen=True)
class StagePart:
    """A part of a file that one partition reads."""

    number: int
    """The number of the part in the ids of its rows."""
    path: str
    root: str
    table: str
    bytes: int
    changed: int
    start: int
    unit: str
    """The kind of the file's rows: ``lines`` or ``records``."""


@dataclass(frozen=True)
class StageBranch:
    """One input of an RDD, with all functions of its stage. A union has several branches."""

    base: "RDD[Any]"
    enter: Enter
    slots: tuple[Slot, ...]
    scans: tuple[FileScan, ...]
    steps: tuple[tuple[int, Step], ...] = ()
    """The functions, each with the value that ``first`` had when the function was added."""
    first: int = 0
    """The total number of partitions of all earlier branches."""
    absence: bool = False
    """Whether records may depend on the absence of other records, as after an outer join."""

    def then(self, step: Step) -> "StageBranch":
        """Return the branch with one more function."""
        return replace(self, steps=(*self.steps, (self.first, step)))

    def left(self, leave: Leave) -> "RDD[Any]":
        """Return the RDD of the records that leave the stage."""
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
    """Return the step for a function that finishes each record before it reads the next one."""
    return lambda split, entering, records: (entering, iter(function(split, records)))


def whole(tap: Tap, function: Callable[[int, Iterator[Any]], Iterable[Any]]) -> Step:
    """Return the step for a function whose results derive from all records of the partition."""

    def step(
        split: int, before: Entering, records: Iterator[Any]
    ) -> tuple[Entering, Iterator[Any]]:
        entering = Whole(tap, before, records)
        return entering, iter(function(split, entering.taken))

    return step


def aligned(branches: Sequence[StageBranch]) -> tuple[tuple[Slot, ...], list[tuple[int, ...]]]:
    """Return the slots of a union, and for each branch the columns for its own slots."""
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
    """Return the slots of a union of branches, and each branch's tap, with files in ``folder``."""
    slots, columns = aligned(branches)
    return slots, [Tap(folder, each, len(slots)) for each in columns]
