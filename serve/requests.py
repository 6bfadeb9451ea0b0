"""The parameters of HTTP requests, from the fields of questions.

The OpenAPI document contains the names of these classes.
"""

from collections.abc import Mapping
from dataclasses import MISSING
from types import GenericAlias
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from provhouse.model.question import OPTIONAL, Direction, Question
from provhouse.model.wire_names import wire_name
from provhouse.output.questions.asking import Asking, Name

OUTPUT_OPTIONS = frozenset({"width", "color", "timing", "csv_safe", "order"})
AS_OF = OPTIONAL["as_of"].metadata
Asked = TypeVar("Asked", bound=Asking[Any])
Model = TypeVar("Model", bound=BaseModel)


class Request(BaseModel):
    """The parameters of a request."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _without_output_options(cls, given: object) -> object:
        """Remove the parameters that choose the format, which FastAPI also passes for a GET."""
        if not isinstance(given, Mapping):
            return given
        return {name: value for name, value in given.items() if name not in OUTPUT_OPTIONS}

    def asked(self, asking: type[Asked]) -> Asked:
        """Return the question whose fields are the parameters."""
        return asking(**{name: getattr(self, name) for name in type(self).model_fields})


def request_of(asking: type[Asking[Any]]) -> type[Request]:
    """Return the class of requests for a question; it has a parameter for each field."""
    hints = get_type_hints(asking, include_extras=True)
    given: dict[str, Any] = {
        each.name: _parameter(each, hints[each.name]) for each in asking.parameters()
    }
    return create_model(
        asking.__name__, __base__=Request, __module__=__name__, __doc__=asking.__doc__, **given
    )


def _parameter(field: Any, hint: Any) -> tuple[Any, Any]:
    """Return the type and the description of the parameter for a question's field."""
    about = field.metadata or (AS_OF if field.name == "as_of" else {})
    name = wire_name(field.name)
    return _checked(hint), Field(
        default=... if field.default is MISSING else field.default,
        ge=about.get("at_least"),
        description=about.get("help"),
        alias=None if name == field.name else name,
    )


def _checked(hint: Any) -> Any:
    """Return the type of a field, in which each name must have at least one character."""
    if hint == Name:
        return Annotated[str, Field(min_length=1)]
    if get_origin(hint) is tuple:
        return GenericAlias(tuple, tuple(map(_checked, get_args(hint))))
    return hint


def _with_filters(model: type[Model]) -> type[Model]:
    """Add the optional fields of Question to a class of requests."""
    hints = get_type_hints(Question)
    given: dict[str, Any] = {name: _parameter(each, hints[name]) for name, each in OPTIONAL.items()}
    return create_model(
        model.__name__, __base__=model, __module__=__name__, __doc__=model.__doc__, **given
    )


@_with_filters
class Filters(Request):
    """Options of a lineage or an impact."""

    def question(self, item: str, direction: Direction) -> Question:
        """Return the question about one item."""
        return Question(item, direction, **{name: getattr(self, name) for name in OPTIONAL})


class AskingOne(Filters):
    """A question about one item."""

    item: Annotated[str, Field(min_length=1)]


class AskingMany(Filters):
    """A question about many items; the answers come in the order of the items, one on a line."""

    items: Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]


class Opening(BaseModel):
    """The token of a link to a page."""

    token: str


class Health(BaseModel):
    """Whether the server can answer, and the generation that it answers from, or why it cannot.

    ``cold`` is the number of partitions not yet in memory; questions that need them take longer.
    """

    ready: bool
    generation: int | None
    empty: bool
    cold: int
    why: str


class Problem(BaseModel):
    """An error: the problem (``title``), its cause (``detail``) and its remedy (``remedy``)."""

    title: str
    status: int
    detail: str
    remedy: str
    exit_status: int
