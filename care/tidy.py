"""Tidy a warehouse: end old versions of rows, rewrite the tables, delete earlier generations.

Each of these steps is a separate change, and is safe to interrupt. The next tidy continues.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from time import perf_counter

from provhouse.model.errors import ProvhouseError
from provhouse.model.keeping import Keep, keeping
from provhouse.model.progress import Progress
from provhouse.model.settings import Settings
from provhouse.store.warehouse.commits import generations, require_current
from provhouse.store.warehouse.layout import Layout

from .compact import compact
from .prune import Pruned, prune, uncovered
from .retract import Retracting, retract


@dataclass(frozen=True)
class Tidied:
    """The result of tidying."""

    generation: int
    """The current generation."""
    first: int
    """The first generation kept."""
    ended: int
    """The number of triples of old versions that have ended."""
    rewritten: bool
    """Whether the tables were rewritten."""
    pruned: Pruned | None
    """The result of the prune; None if no prune was requested."""
    seconds: float


def tidy(settings: Settings, progress: Progress, keep: Keep, *, rewrite: bool = False) -> Tidied:
    """Delete everything that ``keep`` does not cover; with ``rewrite``, first rewrite the tables.

    Raises NotFound if nothing was ever ingested, and Busy if another writer is active.
    """
    began = perf_counter()
    layout = Layout(settings.warehouse)
    require_current(layout)
    ended = 0
    if keep.versions_since:
        old = Retracting(versions_before=keep.versions_since.isoformat(), tidying=True)
        ended = retract(old, settings, progress).ended
    if rewrite:
        compact(settings, progress)
    pruned = None
    if keep.generations or keep.since:
        pruned = prune(settings, progress, keep=keep.generations, covering=keep.since)
    numbers = generations(layout)
    took = perf_counter() - began
    return Tidied(numbers[-1], numbers[0], ended, rewrite, pruned, took)


def tidy_after_ingest(settings: Settings, progress: Progress) -> None:
    """Tidy as the setting ``keep`` requires, if it is set and anything is too old.

    The ingest is already committed, so an error is only reported.
    """
    if not settings.keep:
        return
    keep = keeping(settings.keep, datetime.now(UTC))
    held = generations(Layout(settings.warehouse))
    try:
        if keep.versions_since or _has_old(Layout(settings.warehouse), held, keep):
            tidy(settings, progress, keep)
    except ProvhouseError as error:
        progress.say(f"The ingest is committed, but nothing was tidied: {error.wanted}")


def _has_old(layout: Layout, held: list[int], keep: Keep) -> bool:
    if keep.since:
        return bool(uncovered(layout, held, keep.since))
    return keep.generations is not None and len(held) > keep.generations
