"""The tools of agents: questions with the names, descriptions and parameters that they declare."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from provhouse.model.errors import UsageError
from provhouse.output.questions import derivation_questions as derivations
from provhouse.output.questions import items, levels, lists
from provhouse.output.questions.asking import Asking

from ..requests import AskingOne, Request, request_of

QUESTIONS: Final[tuple[type[Asking[Any]], ...]] = (
    items.AskingFind,
    items.AskingLineage,
    items.AskingOrigins,
    items.AskingPath,
    items.AskingDiff,
    items.AskingRecord,
    derivations.AskingWhy,
    derivations.AskingWhyChanged,
    derivations.AskingDepends,
    derivations.AskingWhatIf,
    derivations.AskingWhatIfEach,
    levels.AskingZoom,
    lists.AskingValues,
    lists.AskingOps,
    lists.AskingModules,
    lists.AskingGenerations,
)
"""The questions that agents may ask. None of them writes anything.

Not every question is a tool, because an agent reads the descriptions of all tools in every
conversation.
"""
_WRONG = {"missing": "It is missing", "extra_forbidden": "The tool has no such argument"}
"""The cause to report for some of pydantic's types of errors."""


@dataclass(frozen=True)
class QuestionTool:
    """A question as a tool."""

    name: str
    description: str
    request: type[Request]

    @property
    def path(self) -> str:
        """The route that answers the question."""
        return f"/v1/{self.name}"

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        found = self.request.model_json_schema()
        properties = {name: _untitled(each) for name, each in found["properties"].items()}
        required = found.get("required", [])
        return {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }

    def check(self, arguments: Mapping[str, Any]) -> None:
        """Raise UsageError for arguments that do not fit the schema."""
        try:
            self.request.model_validate(arguments)
        except ValidationError as error:
            first = error.errors()[0]
            known = self.schema["properties"]
            raise UsageError(
                f"The argument {first['loc'][0] if first['loc'] else ''} of {self.name} is invalid",
                _WRONG.get(first["type"], "Its value does not fit the tool's schema"),
                f"The arguments are {', '.join(known)}",
            ) from None


def tools() -> dict[str, QuestionTool]:
    """Return the tools by name, in order."""
    return {each.name: each for asking in QUESTIONS for each in _tools_of(asking)}


def _tools_of(asking: type[Asking[Any]]) -> Iterator[QuestionTool]:
    """Yield the tools of a question: one, or for the lineage two, ``lineage`` and ``impact``."""
    if asking is items.AskingLineage:
        yield QuestionTool("lineage", asking.described(), AskingOne)
        yield QuestionTool("impact", items.IMPACT, AskingOne)
    else:
        yield QuestionTool(asking.name, asking.described(), request_of(asking))


def _untitled(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in schema.items() if name != "title"}
