"""Mend what the tables can tell: Neo4j, the ids that are free, and what an erasure has left.

Tables, names and triples stand nowhere else: where they are damaged, a backup has to be brought
back.
"""

from provhouse.commit.erasing.erase import repeat_erasures
from provhouse.commit.recover import recover
from provhouse.commit.reload import reload
from provhouse.commit.writer_log import writing
from provhouse.model.faults import reach
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.warehouse.commits import Commit, require_current
from provhouse.store.warehouse.layout import Layout


def repair(settings: Settings, progress: Progress) -> Commit:
    """Bring Neo4j to what the tables say; the current generation, which stays what it was.

    What was erased is erased again, wherever something of it is left.

    Raises NotFound where nothing was ever ingested, Busy beside a writer, Damaged where the tables
    themselves cannot be read.
    """
    layout = Layout(settings.warehouse)
    require_current(layout)  # before a lock makes the folder
    with writing(layout):
        reach("lock held")
        recover(layout, thorough=True)
        repeat_erasures(settings, progress)
        held = require_current(layout)  # another writer may have come first
        reload(settings, progress)
        return held
