"""Erase items permanently, as the law may require: from every generation, base, log and copy.

What remains is a number without a name, and links without ops or attributes, so that the lineage of
all other items stays complete (``docs/erasing.md``).
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from provhouse.commit.erasing.erase import erase
from provhouse.commit.erasing.erasure_file import Erasure, read_erasure, write_erasure
from provhouse.commit.erasing.rejects import clear_rejected, rejects_naming
from provhouse.commit.writer import only_writer
from provhouse.model.errors import NotFound, UsageError
from provhouse.model.progress import Progress, Stopwatch
from provhouse.model.settings import Settings
from provhouse.store.names.names import Names
from provhouse.store.tables.snapshot import all_of_base
from provhouse.store.warehouse.bases import bases
from provhouse.store.warehouse.commits import generations, nothing_stored
from provhouse.store.warehouse.layout import Layout


@dataclass(frozen=True)
class Forgotten:
    """Counts of what was erased."""

    generation: int
    """The current generation; an erasure makes no new one."""
    names: int
    items: int
    """Items with these names; a name has one in each base, and one in each rolled-back ingest."""
    triples: int
    """Triples that touched these items."""
    rejected: int
    """Rejected rows that named them, in all bases."""
    neo4j: bool
    """Whether Neo4j was rebuilt."""
    seconds: dict[str, float]


@dataclass
class _Occurrences:
    """The places where some names are stored."""

    items: dict[int, list[int]]
    """The numbers of the items, by base."""
    rejects: list[Path]
    missing: set[str]


def forget(
    names: Sequence[str],
    settings: Settings,
    progress: Progress,
    alone: AbstractContextManager[object] | None = None,
) -> Forgotten:
    """Erase items by their names.

    ``alone`` is entered around everything that changes something. Raises UsageError if there is no
    name or an empty one, and NotFound, with nothing changed, if a name is stored nowhere. Raises
    Busy if another writer is at work, or if other processes use a Neo4j that has to be rebuilt; in
    that case everything else is done.
    """
    watch = Stopwatch()
    if not names or not all(names):
        raise UsageError("Name the items to erase", "A name is missing or empty")
    layout = Layout(settings.warehouse)
    _check_held(layout)  # before a lock makes the folder
    with only_writer(settings, progress, thorough=True):
        progress.begin("Find the names")
        with watch.step("find"):
            found = _find(layout, names)
        if found.missing:
            raise NotFound(
                f"Not all of the {len(set(names)):,} items to erase are in this warehouse",
                f"{len(found.missing):,} are missing, for example {min(found.missing)!r}",
                "Nothing was erased. Names must match exactly",
            )
        with alone or nullcontext(), watch.step("erase"):
            before = read_erasure(layout)  # left by an erasure whose Neo4j is still to be rebuilt
            begun = Erasure({}, graph=before is not None and before.graph)
            write_erasure(layout, begun)  # after a crash from here on, logs are still erased
            rejected = sum(clear_rejected(path, names) for path in found.rejects)
            if found.items:
                items = {base: np.unique(each).tolist() for base, each in found.items.items()}
                # Rebuild a Neo4j that is not shared: its logs, or a crash, may have left more data.
                rebuild = begun.graph or not settings.neo4j_home
                write_erasure(layout, Erasure(items, rebuild))
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
        raise nothing_stored(layout)


def _find(layout: Layout, names: Sequence[str]) -> _Occurrences:
    """Look in each ingest of each base, since ingests that were rolled back have names too."""
    wanted = pa.array(sorted(set(names)), pa.string())
    found = _Occurrences({}, [], set(wanted.to_pylist()))
    for base in bases(layout):
        held = all_of_base(layout, base)
        for span in held.spans:
            numbers = Names(layout.names(base), [span]).locate(wanted)
            if (numbers >= 0).any():
                found.items.setdefault(base, []).extend(numbers[numbers >= 0].tolist())
                found.missing -= set(wanted.filter(pa.array(numbers >= 0)).to_pylist())
        for path, named in rejects_naming(held, names).items():
            found.rejects.append(path)
            found.missing -= named
    return found
