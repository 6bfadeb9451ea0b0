"""Write ``warehouse.json``, which contains the id that a warehouse's nodes have in Neo4j.

Only a writer writes it: the first ingest, or a repair of a file that was lost.
"""

import secrets

from provhouse.model.errors import Damaged

from .commits import generations
from .json_records import write_record
from .layout import Layout

ID_BYTES = 7
"""The number of random bytes in an id, which is written as twice as many hexadecimal digits.

Every node has the id. Neo4j stores 14 digits in two blocks of 8 bytes, but 16 in three, and then
each set takes a third record of 41 bytes. Earlier versions made ids of 16 digits, which stay.
"""


def create_identity(layout: Layout) -> None:
    """Give a new warehouse an id, unless it has one.

    Does nothing if the warehouse has a generation: its nodes in Neo4j then already have an id, and
    this id must not be replaced.
    """
    if generations(layout):
        return
    try:
        layout.warehouse_id()
    except Damaged:
        write_identity(layout, new_id())


def new_id() -> str:
    """Return a random id for a warehouse."""
    return secrets.token_hex(ID_BYTES)


def write_identity(layout: Layout, warehouse: str) -> None:
    """Write ``warehouse.json`` with this id; raise Busy if another writer has taken the lock."""
    record = {"format": 1, "warehouse": warehouse}
    write_record(layout, layout.identity, record, lambda: None)
