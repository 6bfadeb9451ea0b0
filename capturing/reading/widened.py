"""The widened windows, whose rows derive from whole partitions instead of parts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from provhouse.runtime.scratch import scratch

from .marked_output import marked_outputs
from .marks import MarkedRows, marks_of
from .output import Output
from .traced_rows import Traced, traced

Widened = Mapping[Path, frozenset[int]]
"""The tap numbers of widened windows, by the write's folder."""


def widened_windows(found: Iterable[Traced]) -> Widened:
    """Return the widened windows of the given writes."""
    widened: dict[Path, frozenset[int]] = {}
    for each in found:
        folder = each.output.write.folder
        widened[folder] = widened.get(folder, frozenset()) | each.widened
    return widened


def check_lineage(outputs: Sequence[Output]) -> Widened:
    """Check the associations of writes as an ingest does, and return the widened windows.

    Raises BadInput if the associations cannot be correct.
    """
    with scratch("traced") as folder:
        aside, opened = Path(folder), dict[Path, MarkedRows]()
        given = [replace(each, marks=marks_of(each.write, opened, aside)) for each in outputs]
        return widened_windows(traced(each, aside) for each in (*marked_outputs(given), *given))
