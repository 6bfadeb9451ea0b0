"""Why a revision must be executed: its differences from the nearest revision with a result."""

from dataclasses import dataclass

from provhouse.store.warehouse.layout import Layout

from .changes import changes
from .reuse import reuse
from .revision_names import revision_name
from .revisions import find_revision


@dataclass(frozen=True)
class WhyNotReused:
    """The reason why a sink's result cannot be taken from an earlier execution."""

    revision: str
    sink: str
    reused: bool
    """Whether the result can be reused after all. Then ``reason`` says why."""
    reason: str
    nearest: str
    """The revision with a result that shares the most operators; empty if there is none."""
    operator: str
    """The first operator, from the tables up, that was changed, added or removed."""
    changes: tuple[str, ...]
    """The operators that only this revision (+) or only the nearest one (-) has."""


def why_not_reused(
    layout: Layout, name: str, sink: str | None = None, *, store: bool = True
) -> WhyNotReused:
    """Return why a revision has to be executed; raise NotFound if it is not stored.

    With ``store``, new verdicts are stored.
    """
    found = reuse(layout, name, sink, store=store)
    used = found.decision == "reuse"
    listed: tuple[str, ...] = ()
    if found.nearest and not used:
        _, mine = find_revision(layout, revision_name(name)).sink(found.sink)
        near = find_revision(layout, revision_name(found.nearest)).sinks.get(found.nearest_sink)
        listed = changes({found.sink: near.plan}, {found.sink: mine.plan}) if near else ()
    return WhyNotReused(name, found.sink, used, found.reason, found.nearest, found.operator, listed)
