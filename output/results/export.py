"""What was exported."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from ..escape import shown
from ..layout import Section, styled
from ..phrases import counted, quantity
from ..result import Csv, Json, Result

if TYPE_CHECKING:
    from provhouse.store.warehouse.manifest import Manifest


@dataclass(frozen=True)
class ExportResult(Result):
    """What is in how many files."""

    manifest: "Manifest"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """A sentence."""
        yield styled(_sentence(self.manifest))

    def json(self) -> Iterator[Json]:
        """One object, which is the manifest; see ``schemas/manifest.json``."""
        yield asdict(self.manifest)

    def csv(self) -> Csv:
        """A row for each file."""
        columns = ("name", "rows", "bytes", "sha256")
        return columns, (tuple(asdict(part).values()) for part in self.manifest.files)


def _sentence(manifest: "Manifest") -> str:
    what = (
        f"the {manifest.holds} of {shown(manifest.item)}" if manifest.item else "all that is held"
    )
    counts = f"{counted(manifest.triples, 'triple')} of {counted(manifest.items, 'item')}"
    size = quantity(sum(part.bytes for part in manifest.files), "bytes")
    files = counted(len(manifest.files), "file")
    if manifest.erased:
        size += f"; left out are {counted(manifest.erased, 'triple')} of erased items"
    return f"Exported {what} in generation {manifest.generation}: {counts}, in {files} of {size}."
