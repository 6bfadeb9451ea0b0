"""The captured writes whose lineage covers only a sample of the rows.

They have a separate table because every question reads it, and most warehouses do not have any
sampled writes.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import pyarrow as pa

from provhouse.model.samples import Sample

from ..warehouse.layout import Layout
from .registry import SAMPLES, append, read


@dataclass(frozen=True)
class SampledWrite:
    """A captured write whose lineage covers only a sample of the rows."""

    table: str
    version: int
    part: float
    """The fraction of the write's rows that is in the sample, above 0 and below 1."""
    reads: tuple[str, ...]
    """The tables from which the write was made."""
    after: int
    """The generation that was current when the write got its version. Later generations show it."""

    @property
    def sample(self) -> Sample:
        """The facts about the sample that answers show."""
        return Sample(self.table, self.version, self.part)


def add_samples(layout: Layout, writes: Sequence[SampledWrite]) -> None:
    """Store writes, except those that are already stored, before their lineage is shown.

    Only the single writer may call this. Raises Busy if another writer has taken the lock.
    """
    known = {write.version for write in read_samples(layout)}
    rows = [asdict(write) for write in writes if write.version not in known]
    append(layout, SAMPLES, pa.Table.from_pylist(rows, schema=SAMPLES.schema))


def read_samples(layout: Layout) -> list[SampledWrite]:
    """Return all sampled writes, in the order of versions; raise Damaged if they are unreadable."""
    rows = read(layout, SAMPLES).to_pylist()
    writes = (SampledWrite(**{**row, "reads": tuple(row["reads"])}) for row in rows)
    return sorted(writes, key=lambda write: write.version)
