"""The exactness of an answer, in sentences for people and as JSON fields."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from ..phrases import counted
from ..shown_result import Json

_MEANINGS = {
    "exact": "exactly the inputs that were used",
    "superset": "all inputs that were used, and perhaps others",
    "task": "all inputs of their task, whichever were used",
    "absence": "inputs, but not the absence of others, or what OFFSET passes over, on which the "
    "result also depends",
    "unknown": "inputs by an operation of which no exactness is declared",
}
"""For each level of exactness, a phrase for the inputs that its triples name."""


class Exact(Protocol):
    """An answer or a path that may state its exactness."""

    @property
    def exactness(self) -> str | None: ...
    @property
    def exactness_triples(self) -> Mapping[str, int]: ...


def exactness_fields(of: Exact) -> Json:
    """Return the JSON fields; none if no op on the paths has a declared exactness."""
    if of.exactness is None:
        return {}
    return {"exactness": of.exactness, "exactness_triples": of.exactness_triples}


def exactness_notes(of: Exact) -> Iterator[str]:
    """Yield a sentence on the weakest exactness and on the triples of each level, if declared."""
    parts = [
        f"{counted(triples, 'triple')} {'names' if triples == 1 else 'name'} {_MEANINGS[level]}"
        for level, triples in of.exactness_triples.items()
    ]
    if of.exactness is not None:
        yield f"Exactness: {of.exactness}. On the paths, {'; '.join(parts)}."
