"""How every writer begins: alone, in a warehouse that holds nothing half-done."""

from collections.abc import Iterator
from contextlib import contextmanager

from provhouse.model.faults import reach
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.warehouse.layout import Layout

from .erasing.erase import resume_erasure
from .recover import recover
from .writer_log import writing


@contextmanager
def only_writer(
    settings: Settings, progress: Progress, *, thorough: bool = False
) -> Iterator[None]:
    """Be the one writer, once all is put away or completed that another one left.

    Raises Busy beside another writer, and what ``recover`` raises; see there for ``thorough``.
    """
    layout = Layout(settings.warehouse)
    with writing(layout):
        reach("lock held")
        recover(layout, thorough=thorough)
        resume_erasure(settings, progress)
        yield
