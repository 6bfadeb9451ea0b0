"""Store records of those captured writes whose lineage covers only a sample."""

from collections.abc import Sequence

from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.tables.sampled_writes import SampledWrite, add_samples
from provhouse.store.warehouse.layout import Layout

from .single_writer import only_writer


def note_samples(writes: Sequence[SampledWrite], settings: Settings, progress: Progress) -> None:
    """Store the records of these writes, to be called before their lineage is shown.

    A write that already has a record keeps it. Raises Busy if another process writes.
    """
    with only_writer(settings, progress):
        add_samples(Layout(settings.warehouse), writes)
