"""What was exported as a person reads it."""

from typing import TYPE_CHECKING

from rich.text import Text

from .escape import shown
from .table import counted, quantity

if TYPE_CHECKING:
    from provhouse.store.warehouse.manifest import Manifest


def sentence(manifest: "Manifest") -> Text:
    """What is in how many files."""
    what = (
        f"the {manifest.holds} of {shown(manifest.item)}" if manifest.item else "all that is held"
    )
    counts = f"{counted(manifest.triples, 'triple')} of {counted(manifest.items, 'item')}"
    size = quantity(sum(part.bytes for part in manifest.files), "bytes")
    files = counted(len(manifest.files), "file")
    if manifest.erased:
        size += f"; left out are {counted(manifest.erased, 'triple')} of erased items"
    return Text(
        f"Exported {what} in generation {manifest.generation}: {counts}, in {files} of {size}."
    )
