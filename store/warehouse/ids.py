"""Keep track of the ids in use. No id is ever reused, not even after a crash or a rollback.

``ids.json`` stores the next free id of each kind. Before a writer uses an id, it increases the next
free id and waits until this change is on disk. Therefore data from an interrupted write can never
be mistaken for data from a later write.
"""

import json
from dataclasses import asdict, dataclass, replace

from provhouse.model.errors import Damaged
from provhouse.model.fault_points import reach

from .commits import generations
from .json_records import write_record
from .layout import Layout
from .locks import check_lock


@dataclass(frozen=True)
class Ids:
    """The next free id of each kind, and whether a writer may have left unfinished work."""

    ingest: int = 1
    generation: int = 1
    base: int = 1
    item: int = 1
    set: int = 1
    partition: int = 1
    origin: int = 1
    file: int = 1
    """The next free file number. Before any file has a number, ``ids.json`` lacks this field."""
    pruned: int = 0
    """The last pruned generation; all earlier generations are pruned too. 0 if none was pruned."""
    unfinished: bool = False


def read_ids(layout: Layout) -> Ids:
    """Return the next free ids; raise Damaged if they cannot be read."""
    try:
        return Ids(**json.loads(layout.ids.read_text()))
    except FileNotFoundError:
        if not generations(layout):
            return Ids()
        found = "The file is missing"
    except (ValueError, TypeError):
        found = "The file is not valid"
    raise Damaged(
        f"Cannot read the ids in use from {layout.ids}", found, "Restore it from a backup"
    )


def take_ids(layout: Layout, ids: Ids) -> None:
    """Make ``ids`` the next free ids, and mark the warehouse as unfinished.

    All lower ids are permanently in use. Raises Busy if another writer has taken the lock.
    """
    _write(layout, replace(ids, unfinished=True))
    check_lock(layout)  # from here on, no other writer takes these ids
    reach("ids taken")


def take_file_numbers(layout: Layout, first: int, count: int) -> None:
    """Permanently reserve ``count`` file numbers, beginning with ``first``."""
    _write(layout, replace(read_ids(layout), file=first + count))


def mark_finished(layout: Layout) -> None:
    """Record that the last writer left no unfinished work."""
    ids = read_ids(layout)
    if ids.unfinished:
        _write(layout, replace(ids, unfinished=False))


def _write(layout: Layout, ids: Ids) -> None:
    record = asdict(ids)
    if ids.file == 1:
        del record["file"]
    write_record(layout, layout.ids, record, lambda: reach("ids aside"))
