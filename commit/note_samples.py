"""Store records of those captured writes whose lineage covers only a sample."""

from collections.abc import Sequence

from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.warehouse.layout import Layout
from provhouse.store.warehouse.sampled_writes import SampledWrite, add_sample

from .single_writer import only_writer


def note_samples(writes: Sequence[SampledWrite], settings: Settings, progress: Progress) -> None:
    """Store the records of these writes. Call this before the writes' lineage is shown.

    A write that already has a record keeps it. Raises Busy if another process writes.
    """
    with only_writer(settings, progress):
        for write in writes:
            add_sample(Layout(settings.warehouse), write)
