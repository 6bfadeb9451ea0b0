"""Arguments that name a file for each sink of a workflow, and the texts of files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from provhouse.model.errors import BadInput, UsageError
from provhouse.model.paths import local_path

SinkOption = Annotated[
    str | None,
    typer.Option(metavar="SINK", help="The sink; not needed if the revision has only one."),
]
RESULT = "result"
"""The name of the sink of a single query."""


def sinks_of(given: Sequence[str]) -> dict[str, Path]:
    """Return the files of arguments SINK=FILE by sink; a file without a name is of ``result``."""
    found: dict[str, Path] = {}
    for text in given:
        sink, equals, file = text.partition("=")
        name, path = (sink, file) if equals else (RESULT, text)
        if not name or not path or name in found:
            raise UsageError(
                f"It is not clear which sink {text!r} is of",
                "A name or a file is missing, or two files have one sink",
                "Name each as SINK=FILE",
            )
        found[name] = local_path(path)
    return found


def text_of(path: Path) -> str:
    """Return the text of a file; raise BadInput if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise BadInput(f"Cannot read {path}", str(error), "Give a file with SQL text") from error
