"""Begin a write: take the lock, then complete or undo what an interrupted writer left."""

from collections.abc import Iterator
from contextlib import contextmanager

from provhouse.model.faults import reach
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.warehouse.layout import Layout

from .erasing.erase import resume_erasure
from .lost_commits import refuse_lost
from .recover import recover
from .writer_log import writing


@contextmanager
def only_writer(
    settings: Settings, progress: Progress, *, thorough: bool = False
) -> Iterator[None]:
    """Be the single writer for the length of the block, after recovery.

    An interrupted erasure is completed, too. ``recover`` explains ``thorough``. Raises Busy if
    another writer is active, Damaged if the record of the newest generation is lost, and any error
    that ``recover`` raises.
    """
    layout = Layout(settings.warehouse)
    with writing(layout, settings.wait_seconds, progress):
        reach("lock held")
        refuse_lost(layout)
        recover(layout, thorough=thorough)
        resume_erasure(settings, progress)
        yield
