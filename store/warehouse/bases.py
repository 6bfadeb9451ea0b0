"""Bases: kept while they are read; removed as soon as no generation uses them and nobody does."""

from collections.abc import Iterator
from contextlib import contextmanager
from shutil import rmtree

from provhouse.model.errors import Damaged
from provhouse.model.faults import reach

from .commits import Commit, generations, read_commit
from .layout import Layout
from .locks import check_lock, exclusive, reading


def bases(layout: Layout) -> list[int]:
    """The numbers of all bases that have a folder, in order."""
    names = (folder.name.removeprefix("base-") for folder in layout.root.glob("base-*"))
    return sorted(int(name) for name in names if name.isdecimal())


@contextmanager
def pinned(layout: Layout, commit: Commit) -> Iterator[None]:
    """Keep what a generation shows for as long as it is read.

    Raises NotFound if it was pruned since its record was read.
    """
    with reading(layout, commit.base):
        read_commit(layout, commit.generation)
        yield


def remove_unused(layout: Layout) -> list[int]:
    """Remove each base that no record names; those that stay for now, because they are read.

    For the one writer. Where a record cannot be read, nothing is removed.
    """
    stored = bases(layout)
    if not stored:
        return []
    try:
        used = {read_commit(layout, number).base for number in generations(layout)}
    except Damaged:  # told by those who need that record
        return []
    return [base for base in stored if base not in used and not _remove_if_unread(layout, base)]


def _remove_if_unread(layout: Layout, base: int) -> bool:
    with exclusive(layout, base) as free:
        if free:
            check_lock(layout)
            rmtree(layout.base(base))
            reach("base removed")
        return free
