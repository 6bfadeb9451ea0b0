"""The captured writes whose lineage covers only a sample of the rows.

Each write is a file in the folder ``samples``, named after its version. Every question reads this
folder, which most warehouses do not have. It would take longer to read the records of all writes
instead.
"""

import json
from dataclasses import asdict, dataclass

from provhouse.model.errors import Damaged
from provhouse.model.samples import Sample
from provhouse.runtime.files import make_folder, write_new

from .json_records import write_record
from .layout import Layout


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


def add_sample(layout: Layout, write: SampledWrite) -> None:
    """Store a write, unless it is already stored. Only the single writer may call this.

    Raises Busy if another writer has taken the lock.
    """
    make_folder(layout.samples)
    path = layout.samples / f"{write.version:016d}.json"
    if not path.exists():
        write_record(layout, path, asdict(write), lambda: None, write_new)


def read_samples(layout: Layout) -> list[SampledWrite]:
    """Return all sampled writes, in the order of versions; raise Damaged if one is unreadable."""
    found = []
    for path in sorted(layout.samples.glob("[0-9]*.json")):
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
            found.append(SampledWrite(**{**record, "reads": tuple(record["reads"])}))
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise Damaged(
                f"Cannot read the record of a sample {path}",
                repr(error),
                "Restore the file from a backup",
            ) from error
    return found
