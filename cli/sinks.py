"""Parse arguments that name a file for each sink of a workflow, and read text files."""

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
"""The name of the only sink of a workflow with a single query."""


def sinks_of(given: Sequence[str]) -> dict[str, Path]:
    """Return the files in arguments SINK=FILE, by sink. The default sink is ``result``."""
    found: dict[str, Path] = {}
    for text in given:
        sink, equals, file = text.partition("=")
        name, path = (sink, file) if equals else (RESULT, text)
        if not name or not path or name in found:
            raise UsageError(
                f"It is not clear to which sink {text!r} belongs",
                "A name or a file is missing, or two files are given for one sink",
                "Name each as SINK=FILE",
            )
        found[name] = local_path(path)
    return found


def text_of(path: Path) -> str:
    """Return the content of a text file; raise BadInput if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise BadInput(f"Cannot read {path}", str(error), "Give a file with SQL text") from error
