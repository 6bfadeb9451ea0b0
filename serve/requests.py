"""What may be asked over the wire, typed; the answers are the stable forms of a command."""

import ast
import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from itertools import pairwise
from typing import Annotated, Any, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from provhouse.model.question import AsOf, Direction, Question

OUTPUT_OPTIONS = frozenset({"width", "color", "timing", "csv_safe"})
AS_OF = "A generation, or a time in ISO 8601; else the current one"
Name = Annotated[str, Field(min_length=1)]
Model = TypeVar("Model", bound=BaseModel)


def _descriptions() -> dict[str, str]:
    """The text under each field of Question, which Python itself does not keep."""
    (definition,) = ast.parse(inspect.getsource(Question)).body
    assert isinstance(definition, ast.ClassDef)
    return {
        ast.unparse(field.target): str(ast.literal_eval(text.value)).rstrip(".")
        for field, text in pairwise(definition.body)
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr)
    }


def _question_fields() -> dict[str, Any]:
    """The fields of Question that may be left out, as those of a request; a count is at least 1."""
    types, descriptions = get_type_hints(Question), {**_descriptions(), "as_of": AS_OF}
    return {
        field.name: (
            types[field.name],
            Field(
                default=field.default,
                ge=1 if types[field.name] == int | None else None,
                description=descriptions.get(field.name),
            ),
        )
        for field in fields(Question)
        if field.default is not MISSING
    }


QUESTION_FIELDS = _question_fields()


def _with_question_fields(*names: str) -> Callable[[type[Model]], type[Model]]:
    """Add fields of Question to a request, all of them where none is named."""

    def extend(model: type[Model]) -> type[Model]:
        added = {name: QUESTION_FIELDS[name] for name in names or QUESTION_FIELDS}
        return create_model(
            model.__name__, __base__=model, __module__=model.__module__, __doc__=model.__doc__,
            **added,
        )  # fmt: skip

    return extend


class _Asking(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _without_output_options(cls, given: object) -> object:
        """Of a GET, FastAPI hands over all parameters, also those that say how it shall look."""
        if not isinstance(given, Mapping):
            return given
        return {name: value for name, value in given.items() if name not in OUTPUT_OPTIONS}


@_with_question_fields()
class Asking(_Asking):
    """How much of a lineage or an impact is wanted."""

    def question(self, item: str, direction: Direction) -> Question:
        """The same of one item."""
        return Question(item, direction, **self.model_dump(exclude={"item", "items"}))


class AskingOne(Asking):
    """A question of one item."""

    item: Name


class AskingMany(Asking):
    """The same question of many items; the answers come one a line, in their order."""

    items: Annotated[list[Name], Field(min_length=1)]


class AskingPath(_Asking):
    """How one item was derived from another."""

    source: Annotated[Name, Field(alias="from")]
    target: Annotated[Name, Field(alias="to")]
    every: Annotated[bool, Field(alias="all", description="All triples on any way")] = False


class AskingFind(_Asking):
    """Items by a part of their names."""

    text: str
    anywhere: Annotated[bool, Field(description="Not only at the beginning")] = False
    table: str | None = None
    limit: Annotated[int, Field(ge=1)] = 20


@_with_question_fields("method", "depth", "as_of")
class AskingExplain(_Asking):
    """What a question would read."""

    item: Name
    direction: Direction = "upstream"

    def question(self) -> Question:
        """The same as a question."""
        return Question(**self.model_dump())


class AskingDiff(_Asking):
    """What came and went between two generations."""

    item: Name
    direction: Direction = "upstream"
    since: Annotated[AsOf | None, Field(alias="from", description=AS_OF)]
    until: Annotated[AsOf | None, Field(alias="to", description=AS_OF)] = None


class Health(BaseModel):
    """Whether questions are answered, from which generation, and if not, why not.

    ``cold`` partitions are still to be read; who asks for one of them waits longer.
    """

    ready: bool
    generation: int | None
    empty: bool
    cold: int
    why: str


class Problem(BaseModel):
    """What went wrong: what was wanted, what was found (``detail``), what to do (``remedy``)."""

    title: str
    status: int
    detail: str
    remedy: str
    exit_status: int
