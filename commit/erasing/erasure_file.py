"""The erasure that is under way: ``erasure.json``, of numbers and never of names.

It is there from before the first change until after the last, so that whoever writes next carries
on what was cut off.
"""

import json
from dataclasses import asdict, dataclass

from provhouse.model.errors import Damaged
from provhouse.model.faults import reach
from provhouse.runtime.files import sync_folder
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.locks import check_lock
from provhouse.store.warehouse.records import write_record


@dataclass(frozen=True)
class Erasure:
    """What is to be erased."""

    items: dict[int, list[int]]
    """By the base, the numbers of the items; none while rejected rows are being emptied."""
    graph: bool = False
    """Whether Neo4j, which holds ops that are gone, has to be made anew."""


def read_erasure(layout: Layout) -> Erasure | None:
    """The erasure under way, if there is one; raises Damaged if it cannot be read."""
    try:
        record = json.loads(layout.erasure.read_text(encoding="utf-8"))
        items = {int(base): [int(n) for n in numbers] for base, numbers in record["items"].items()}
        return Erasure(items, bool(record["graph"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise Damaged(
            f"{layout.erasure} should say which items are being erased",
            f"It cannot be read: {error!r}",
            "Run `provhouse repair`, and `provhouse forget` again for names that are still held",
        ) from error


def write_erasure(layout: Layout, erasure: Erasure) -> None:
    """Let it be known; raises Busy if another writer has the lock meanwhile."""
    write_record(layout, layout.erasure, asdict(erasure), lambda: reach("erasure aside"))
    reach("erasure written")


def end_erasure(layout: Layout) -> None:
    """Say that nothing of it is left to do."""
    check_lock(layout)
    layout.erasure.unlink()
    sync_folder(layout.root)
