"""Store what captured DELETE, UPDATE and MERGE commands did to the rows they copied or deleted."""

from collections.abc import Sequence

from provhouse.capturing.reading.changed_rows import ended_names, versions_of_rows
from provhouse.capturing.reading.known import Known
from provhouse.capturing.reading.output import Output
from provhouse.capturing.reading.row_keys import KeyStore
from provhouse.store.tables.kept_rows import add_ended, add_kept
from provhouse.store.tables.written import Written
from provhouse.store.warehouse.commits import read_commit
from provhouse.store.warehouse.layout import Layout


def keep_versions(
    outputs: Sequence[Output], written: Sequence[Written], store: KeyStore, layout: Layout
) -> None:
    """Store the versions of rows in files with copied rows, one write after another.

    A write may copy rows from files that an earlier write of the block has made.
    """
    for output, version in zip(outputs, written, strict=True):
        if kept := versions_of_rows(output, version, Known(layout), store):
            add_kept(layout, kept)


def end_rows(
    outputs: Sequence[Output],
    written: Sequence[Written],
    store: KeyStore,
    generation: int,
    layout: Layout,
) -> None:
    """Store which rows were deleted.

    The rows have ended in ``generation`` and in later generations.
    """
    before = read_commit(layout, generation).rolls_back_to if generation else None
    for output, version in zip(outputs, written, strict=True):
        names = ended_names(output, version, store)
        if len(names):
            add_ended(layout, version.version, names, before or 0)
