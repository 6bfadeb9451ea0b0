"""Store the pins of the files that had the rows of captured jobs."""

from collections.abc import Collection

from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.tables.pins import Pin, add_pins
from provhouse.store.warehouse.identity import create_identity
from provhouse.store.warehouse.layout import Layout

from .single_writer import only_writer


def pin_files(pins: Collection[Pin], settings: Settings, progress: Progress) -> None:
    """Store pinned files. Raises Busy if another process writes."""
    layout = Layout(settings.warehouse)
    with only_writer(settings, progress):
        create_identity(layout)
        add_pins(layout, pins)
