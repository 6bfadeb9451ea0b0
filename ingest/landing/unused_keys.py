"""Find declared keys of tables that are neither in a block nor in the warehouse."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from provhouse.capturing.reading.description import CapturedWrite
from provhouse.store.tables.snapshot import Snapshot
from provhouse.store.warehouse.commits import current
from provhouse.store.warehouse.layout import Layout


@dataclass(frozen=True)
class UnusedKeys:
    """Declared keys that do not apply to any rows, probably because a table's name is wrong."""

    declared: tuple[str, ...] = ()
    """The names of the tables for which the keys are declared."""
    tables: tuple[str, ...] = ()
    """The tables that the writes read or wrote."""

    def __str__(self) -> str:
        return (
            f"Keys are declared for {', '.join(self.declared)}, but the job has no such table.\n"
            f"Its tables are {', '.join(self.tables)}."
        )


def unused_keys(
    begun: Sequence[CapturedWrite], keys: Collection[str], layout: Layout
) -> UnusedKeys | None:
    """Return declared keys of tables neither in the writes nor in the warehouse, or None.

    Jobs may share keys, so it is not a mistake to declare a key for a table of an earlier job.
    """
    tables = sorted(set(_tables(begun)))
    unknown = sorted({*keys} - {*tables})
    if unknown and (commit := current(layout)):
        unknown = sorted({*unknown} - {*Snapshot(layout, commit).tables})
    return UnusedKeys(tuple(unknown), tuple(tables)) if unknown and tables else None


def _tables(begun: Iterable[CapturedWrite]) -> Iterable[str]:
    for write in begun:
        yield write.table
        yield from (source.table for source in write.sources)
        yield from (source.table for source in write.keyed)
        yield from (tap.mark.table for tap in write.taps if tap.mark)
