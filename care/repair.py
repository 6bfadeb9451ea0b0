"""Reload Neo4j, undo interrupted writes, and complete erasures: repairs that need no backup.

Tables, names and triples are stored only once: if they are damaged, restore a backup.
"""

from provhouse.commit.erasing.erase import repeat_erasures
from provhouse.commit.lost_commits import lost_generations, note_lost
from provhouse.commit.recover import recover
from provhouse.commit.reload import reload
from provhouse.commit.writer_log import writing
from provhouse.model.fault_points import reach
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.warehouse.commits import Commit, require_current
from provhouse.store.warehouse.layout import Layout

from .check import check
from .damage_report import Report
from .restore_id import restore_id


def repair(settings: Settings, progress: Progress) -> Commit:
    """Reload Neo4j from the tables and return the current commit, which does not change.

    Also restores ``warehouse.json`` if it is missing or not valid, and erases any remains of erased
    items. Raises NotFound if nothing was ever ingested, Busy if another writer is active, and
    Damaged if the tables themselves cannot be read.
    """
    layout = Layout(settings.warehouse)
    require_current(layout)  # before the lock creates the folder
    with writing(layout, settings.wait_seconds, progress):
        reach("lock held")
        recover(layout, thorough=True)
        restore_id(settings, progress)
        repeat_erasures(settings, progress)
        held = require_current(layout)  # another writer may have come first
        reload(settings, progress)
        return held


def repair_and_check(settings: Settings, progress: Progress) -> Report:
    """Repair a warehouse, check it, and return the report with the remaining damage.

    Records that this check finds to be lost are not reported again by later checks. Raises the
    errors of ``repair``.
    """
    layout = Layout(settings.warehouse)
    repair(settings, progress)
    report = check(settings, progress)
    note_lost(layout, lost_generations(layout))
    return report
