"""Items are erased for good, as the law may ask for: from every generation, base, log and copy.

What remains is a number without a name, and links that tell nothing but that something was there,
so that the lineage of all others stays whole (``docs/erasing.md``).
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from provhouse.commit.erasing.erase import erase
from provhouse.commit.erasing.progress_file import Erasure, read_erasure, write_erasure
from provhouse.commit.erasing.rejects import clear_rejected, naming
from provhouse.commit.writer import only_writer
from provhouse.model.errors import NotFound, UsageError
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.store.names.names import Names
from provhouse.store.tables.whole import whole
from provhouse.store.warehouse.bases import bases
from provhouse.store.warehouse.commits import generations
from provhouse.store.warehouse.layout import Layout


@dataclass(frozen=True)
class Forgotten:
    """What was erased, in numbers."""

    generation: int
    """The current one, which stays what it was."""
    names: int
    items: int
    """Items with these names: one for each base, and each ingest that was taken back."""
    triples: int
    """Triples that touched them."""
    rejected: int
    """Rejected rows that named them, in every base."""
    neo4j: bool
    """Whether Neo4j was made anew."""
    seconds: dict[str, float]


@dataclass
class _Occurrences:
    """Where some names are held."""

    items: dict[int, list[int]]
    """By the base, the numbers of the items."""
    rejects: list[Path]
    missing: set[str]


def forget(
    names: Sequence[str],
    settings: Settings,
    progress: Progress,
    alone: AbstractContextManager[object] | None = None,
) -> Forgotten:
    """Erase items by their names; ``alone`` is entered around all that changes something.

    Raises UsageError for no name and for an empty one, NotFound, with nothing changed, if one of
    them is held nowhere; Busy beside another writer, or with all else done while others use a
    Neo4j that has to be made anew.
    """
    watch = Stopwatch()
    if not names or not all(names):
        raise UsageError("The items that shall be erased should be named", "A name is missing")
    layout = Layout(settings.warehouse)
    _check_held(layout)  # before a lock makes the folder
    with only_writer(settings, progress, thorough=True):
        progress.begin("Find the names")
        with watch.step("find"):
            found = _find(layout, names)
        if found.missing:
            raise NotFound(
                f"The {len(set(names)):,} items that shall be erased should be held",
                f"{len(found.missing):,} of them are not, {min(found.missing)!r} for one",
                "Nothing was erased. Names are compared letter by letter",
            )
        with alone or nullcontext(), watch.step("erase"):
            before = read_erasure(layout)  # there still, where only Neo4j is left of one
            begun = Erasure({}, graph=before is not None and before.graph)
            write_erasure(layout, begun)  # whatever is cut off now, its logs go
            rejected = sum(clear_rejected(path, names) for path in found.rejects)
            if found.items:
                items = {base: np.unique(each).tolist() for base, each in found.items.items()}
                # One that nobody shares may have kept more than tables name: in logs, from a crash.
                anew = begun.graph or not settings.neo4j_home
                write_erasure(layout, Erasure(items, anew))
            links, graph = erase(settings, progress)
    return Forgotten(
        generation=generations(layout)[-1],
        names=len(set(names)),
        items=sum(map(len, found.items.values())),
        triples=links,
        rejected=rejected,
        neo4j=graph,
        seconds=watch.total(),
    )


def _check_held(layout: Layout) -> None:
    if not generations(layout):
        raise NotFound(
            f"The warehouse {layout.root} should hold something to erase",
            "Nothing was ever ingested there",
            "Begin with: provhouse ingest FILES",
        )


def _find(layout: Layout, names: Sequence[str]) -> _Occurrences:
    """Look in every base, at each of its ingests by itself: those taken back have names too."""
    wanted = pa.array(sorted(set(names)), pa.string())
    found = _Occurrences({}, [], set(wanted.to_pylist()))
    for base in bases(layout):
        held = whole(layout, base)
        for span in held.spans:
            numbers = Names(layout.names(base), [span]).locate(wanted)
            if (numbers >= 0).any():
                found.items.setdefault(base, []).extend(numbers[numbers >= 0].tolist())
                found.missing -= set(wanted.filter(pa.array(numbers >= 0)).to_pylist())
        for path, named in naming(held, names).items():
            found.rejects.append(path)
            found.missing -= named
    return found
