"""The finished writes in the folder of a captured block, and the files that they made."""

import json
from collections.abc import Iterable
from pathlib import Path

from .counted_output import counted_output_of
from .description import CapturedWrite, described
from .keyed_output import keyed_output_of
from .output import Output, output_of
from .rdd_output import keyed_rdd_output_of, rdd_output_of


def captured_writes(folder: Path) -> list[CapturedWrite]:
    """Return the writes in the folder of a captured block, in order."""
    paths = sorted(folder.glob("[0-9]*/write.json"), key=lambda path: int(path.parent.name))
    return [described(json.loads(path.read_text(encoding="utf-8")), path.parent) for path in paths]


def outputs_of(finished: Iterable[CapturedWrite]) -> list[Output]:
    """Return the files and rows of the finished writes that made or removed files.

    Raises BadInput if the files or rows are not the captured ones.
    """
    return [output for output in map(_output_of, finished) if output.files or _has_ended(output)]


def _has_ended(output: Output) -> bool:
    return bool(output.write.removed or output.ended())


def _output_of(write: CapturedWrite) -> Output:
    if write.format == "rdd":
        return keyed_rdd_output_of(write) if write.key else rdd_output_of(write)
    if write.by_position:
        return counted_output_of(write)
    return keyed_output_of(write) if write.key else output_of(write)
