"""The samples through which a result may pass, as a sentence for people and a JSON field."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Protocol

from provhouse.model.samples import sample_sentence

from ..escape import shown
from ..shown_result import Json

if TYPE_CHECKING:
    from provhouse.model.samples import Sample


class Sampled(Protocol):
    """A result whose paths may pass through sampled writes."""

    @property
    def samples(self) -> "Sequence[Sample]": ...


def sample_fields(of: Sampled) -> Json:
    """Return the JSON field, or no field if there are no samples."""
    return {"samples": [asdict(each) for each in of.samples]} if of.samples else {}


def sample_notes(of: Sampled) -> Iterator[str]:
    """Yield a sentence about the samples, if there are any."""
    if of.samples:
        yield f"Partial: {shown(sample_sentence(of.samples), 400)}. Other rows may be missing."
