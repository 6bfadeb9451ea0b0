"""Begin a write: acquire the lock, then complete or undo the work of an interrupted writer."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path

from provhouse.model.errors import ProvhouseError
from provhouse.model.fault_points import reach
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.warehouse.layout import Layout

from .erasing.erase import Resumed, resume_erasure
from .graph_of_remote import complete_graph
from .lost_commits import refuse_lost
from .recover import recover
from .writer_log import writing

_WRITES: ContextVar[Path | None] = ContextVar("_WRITES", default=None)
"""The folder of the warehouse that the current context has locked as its writer, or None."""


@contextmanager
def only_writer(
    settings: Settings, progress: Progress, *, thorough: bool = False
) -> Iterator[Resumed | None]:
    """Recover, then be the single writer for the length of the block.

    If an erasure was interrupted, it is completed first, and its results are yielded. ``recover``
    explains ``thorough``. Raises Busy if another writer is active, Damaged if the record of the
    newest generation is lost, and any error that ``recover`` raises.

    Inside another ``only_writer`` block for the same warehouse, no lock is taken and nothing is
    recovered, so that one writer can call others.
    """
    layout = Layout(settings.warehouse)
    if _WRITES.get() == layout.root:
        yield None
        return
    with writing(layout, settings.wait_seconds, progress):
        reach("lock held")
        refuse_lost(layout)
        recover(layout, thorough=thorough)
        complete_graph(settings, progress)
        resumed = resume_erasure(settings, progress)
        token = _WRITES.set(layout.root)
        try:
            yield resumed
        finally:
            _WRITES.reset(token)


def finish_erasure(settings: Settings, progress: Progress) -> None:
    """Complete an erasure whose command was killed.

    Until then, Neo4j may lack data that questions need. If completing it fails, the erasure is left
    to the next writer, which may already be at work.
    """
    if Layout(settings.warehouse).erasure.exists():
        with suppress(ProvhouseError), only_writer(replace(settings, wait_seconds=0), progress):
            pass
