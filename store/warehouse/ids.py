"""Ids that are taken: none is ever given twice, not after a crash and not after a rollback.

``ids.json`` holds the next free id of each kind. A writer raises it, and waits for the disk, before
it writes anything under an id; whatever a crash leaves behind is therefore never mistaken.
"""

import json
from dataclasses import asdict, dataclass, replace

from provhouse.model.errors import Damaged
from provhouse.model.faults import reach

from .commits import generations
from .layout import Layout
from .locks import check_lock
from .records import write_record


@dataclass(frozen=True)
class Ids:
    """The next free number of each kind, and whether a writer may have left something behind."""

    ingest: int = 1
    generation: int = 1
    base: int = 1
    item: int = 1
    set: int = 1
    partition: int = 1
    origin: int = 1
    pruned: int = 0
    """Generations up to this one are no longer kept."""
    unfinished: bool = False


def read_ids(layout: Layout) -> Ids:
    """The ids that are free now; raises Damaged if they are not known."""
    try:
        return Ids(**json.loads(layout.ids.read_text()))
    except FileNotFoundError:
        if not generations(layout):
            return Ids()
        found = "The file is gone"
    except (ValueError, TypeError):
        found = "The file cannot be read"
    raise Damaged(
        f"{layout.ids} should say which ids are free", found, "Bring it back from a backup"
    )


def take_ids(layout: Layout, ids: Ids) -> None:
    """Make all ids below these taken, for good; what follows counts as unfinished.

    Raises Busy if another writer has the lock meanwhile.
    """
    _write(layout, replace(ids, unfinished=True))
    check_lock(layout)  # from here on nobody else is given these
    reach("ids taken")


def mark_finished(layout: Layout) -> None:
    """Say that whoever took ids last left nothing half-written."""
    ids = read_ids(layout)
    if ids.unfinished:
        _write(layout, replace(ids, unfinished=False))


def _write(layout: Layout, ids: Ids) -> None:
    write_record(layout, layout.ids, asdict(ids), lambda: reach("ids aside"))
