"""One call of a tool: ask the server, and return a bounded answer."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from provhouse.model.errors import UsageError

from ..client import Client
from .bounded import MOST_BYTES, MOST_CHARACTERS, bounded, read_bounded
from .tools import QuestionTool

NARROWING: Final = ("limit", "summary", "depth", "tables", "table", "ops", "where", "contains")
"""The arguments that make an answer smaller."""


def ask(tool: QuestionTool, arguments: Mapping[str, Any], connect: Callable[[], Client]) -> str:
    """Return the answer to a question as JSON.

    ``connect`` returns a client of the server. If the answer has more than ``MOST_BYTES``, return
    its counts instead, if the question has the parameter ``summary``. Raises the errors of the
    question, and UsageError if the answer is too large even when it is cut.
    """
    tool.check(arguments)
    narrower = _narrower(tool)
    content = _read(tool, arguments, connect)
    if content is None and "summary" in tool.request.model_fields:
        content = _read(tool, {**arguments, "summary": True}, connect)
    text = bounded(json.loads(content), narrower) if content is not None else None
    if text is None:
        raise UsageError(
            f"The answer of {tool.name} is too large",
            f"An agent receives at most {MOST_CHARACTERS:,} characters, cut from an answer of at "
            f"most {MOST_BYTES >> 20} MB",
            narrower[0].upper() + narrower[1:],
        )
    return text


def _read(
    tool: QuestionTool, arguments: Mapping[str, Any], connect: Callable[[], Client]
) -> bytes | None:
    with connect().ask(tool.path, arguments, "application/json", {}) as reply:
        return read_bounded(reply.pieces)


def _narrower(tool: QuestionTool) -> str:
    options = [name for name in NARROWING if name in tool.request.model_fields]
    return f"ask narrower, with {', '.join(options)}" if options else "ask about something smaller"
