"""Pin bases for readers, and remove each base when no generation and no reader uses it any more."""

from collections.abc import Iterator
from contextlib import contextmanager
from shutil import rmtree

from provhouse.model.errors import Damaged
from provhouse.model.fault_points import reach

from .commits import Commit, generations, read_commit
from .layout import Layout
from .locks import check_lock, no_readers, reading


def bases(layout: Layout) -> list[int]:
    """Return the numbers of all bases that have a folder, in order."""
    names = (folder.name.removeprefix("base-") for folder in layout.root.glob("base-*"))
    return sorted(int(name) for name in names if name.isdecimal())


@contextmanager
def pinned(layout: Layout, commit: Commit) -> Iterator[None]:
    """Keep the base of a generation from being removed while the block runs.

    Raises NotFound if the generation was pruned since its record was read.
    """
    with reading(layout, commit.base):
        read_commit(layout, commit.generation)
        yield


def remove_unused(layout: Layout) -> list[int]:
    """Remove the bases that no commit record names; return those that could not be removed.

    A base cannot be removed while a process reads it. Only the writer may call this. Nothing is
    removed if a record cannot be read.
    """
    stored, used = bases(layout), set[int]()
    try:
        for number in reversed(generations(layout)):
            if used.issuperset(stored):  # often after reading one of many records
                return []
            used.add(read_commit(layout, number).base)
    except Damaged:  # commands that need the record report it
        return []
    return [base for base in stored if base not in used and not _remove_if_unread(layout, base)]


def _remove_if_unread(layout: Layout, base: int) -> bool:
    with no_readers(layout, base) as free:
        if free:
            check_lock(layout)
            rmtree(layout.base(base))
            reach("base removed")
        return free
