"""Complete the Neo4j and the logs of a working folder, whose warehouse other machines write too."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from provhouse.cypher.wiping import wipe
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.runtime.remote.working_folder import WorkingFolder
from provhouse.runtime.scratch import clear_abandoned
from provhouse.store.warehouse.at_address import up_to_date, working_folder
from provhouse.store.warehouse.commits import generations
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.reports import erase_reports

from .reload import reload
from .writer_log import clear_logs


@contextmanager
def brought_up_to_date(
    settings: Settings, progress: Progress, *, keep_graph: bool, whole: bool
) -> Iterator[None]:
    """Make the folder and Neo4j of a remote warehouse agree with what is published.

    With ``keep_graph``, Neo4j stays up during the block if it was loaded. Unless the folder must be
    ``whole``, partitions are fetched when they are read. Does nothing for a local warehouse.
    """
    with ExitStack() as use:
        overtaken = True
        while overtaken:
            use.close()
            with up_to_date(settings.warehouse, progress, whole=whole) as folder:
                if folder:
                    _complete(folder, settings, progress, use if keep_graph else None)
            overtaken = folder is not None and folder.overtaken
        yield


def complete_graph(settings: Settings, progress: Progress) -> None:
    """Load into Neo4j what other machines have published; only the writer may call this."""
    if folder := working_folder(settings.warehouse):
        _complete(folder, settings, progress, None)


def _complete(
    folder: WorkingFolder, settings: Settings, progress: Progress, use: ExitStack | None
) -> None:
    state = folder.state
    if not (state.behind or state.unsure):
        return
    layout = Layout(settings.warehouse)
    if state.erased:  # as an erasure on this machine does
        erase_reports(layout)
        clear_logs(layout)
        clear_abandoned()
        folder.logs_are_cleared()
    if state.unsure:
        wipe("", settings, progress)
    if generations(layout):
        reload(settings, progress, use)
    folder.graph_is_whole()
