"""The result of an export: the files it wrote and their totals."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from provhouse.store.warehouse.manifest import as_record

from ..escape import shown
from ..phrases import counted, quantity
from ..sections import Section, noted, styled
from ..shown_result import Csv, Json, ShownResult
from .exactness_notes import exactness_notes
from .sample_notes import sample_notes

if TYPE_CHECKING:
    from provhouse.store.warehouse.manifest import ExportPart, Manifest


@dataclass(frozen=True)
class ExportResult(ShownResult):
    """The manifest of an export."""

    manifest: "Manifest"

    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield a sentence about the exported data, and notes on its exactness."""
        yield styled(_sentence(self.manifest))
        yield from noted((*exactness_notes(self.manifest), *sample_notes(self.manifest)))

    def json(self) -> Iterator[Json]:
        """Yield the manifest, as ``schemas/manifest.json`` describes it."""
        yield as_record(self.manifest)

    def csv(self) -> Csv:
        """Return a row for each file."""
        columns = ("name", "rows", "bytes", "sha256")
        return columns, (tuple(asdict(part).values()) for part in _parts(self.manifest))


def _parts(manifest: "Manifest") -> "Sequence[ExportPart]":
    return (*manifest.files, *filter(None, (manifest.operations, manifest.modules)))


def _sentence(manifest: "Manifest") -> str:
    what = f"the {manifest.holds} of {shown(manifest.item)}" if manifest.item else "everything"
    counts = f"{counted(manifest.triples, 'triple')} and {counted(manifest.items, 'item')}"
    size = quantity(sum(part.bytes for part in _parts(manifest)), "bytes")
    files = counted(len(_parts(manifest)), "file")
    left_out = counted(manifest.erased, "triple")
    note = f" Left out {left_out} of erased items." if manifest.erased else ""
    generation = f"as of generation {manifest.generation}"
    return f"Exported {what} {generation}: {counts} in {files}, {size}.{note}"
