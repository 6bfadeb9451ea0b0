"""Check the associations of writes without an ingest."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from provhouse.runtime.scratch import scratch

from .marked_output import marked_outputs
from .marks import MarkedRows, marks_of
from .output import Output
from .traced_rows import traced


def check_lineage(outputs: Sequence[Output]) -> None:
    """Check the associations of writes as an ingest does.

    Raises BadInput if the associations cannot be correct.
    """
    with scratch("traced") as folder:
        aside, opened = Path(folder), dict[Path, MarkedRows]()
        given = [replace(each, marks=marks_of(each.write, opened, aside)) for each in outputs]
        for each in (*marked_outputs(given), *given):
            traced(each, aside)
