"""The filters of a question, as keyword arguments of Python functions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypedDict

from provhouse.model.errors import UsageError
from provhouse.model.question import OPTIONAL, AsOf, Direction, Method, Question


class Filters(TypedDict, total=False):
    """The filters of ``lineage`` and ``impact``, which ``docs/questions.md`` explains."""

    method: Method
    depth: int | None
    through: str | None
    tables: Sequence[str]
    ops: Sequence[str]
    where: Mapping[str, str] | Sequence[tuple[str, str]]
    ends: bool
    limit: int | None
    summary: bool
    sets: bool
    all_versions: bool
    as_of: AsOf | None


def question_of(item: str, direction: Direction, filters: Mapping[str, object]) -> Question:
    """Return the question with these filters; raise UsageError for an unknown filter."""
    if unknown := sorted(filters.keys() - OPTIONAL.keys()):
        raise UsageError(
            f"There is no filter {unknown[0]!r}",
            f"The filters are {', '.join(OPTIONAL)}",
            "Correct the name or remove it",
        )
    fields: dict[str, Any] = {name: _field(name, value) for name, value in filters.items()}
    return Question(item, direction, **fields)


def _field(name: str, value: object) -> object:
    """Convert a filter's value for ``Question``: lists to tuples, mappings to tuples of pairs."""
    field = OPTIONAL[name]
    if isinstance(field.default, tuple):
        return _listed(name, value)
    least = field.metadata["at_least"]
    if least is not None and value is not None and not (isinstance(value, int) and value >= least):
        raise UsageError(
            f"The filter {name!r} is not a whole number of at least {least}",
            f"It is {value!r}",
            "Correct it or remove it",
        )
    return value


def _listed(name: str, value: object) -> tuple[object, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise UsageError(
            f"The filter {name!r} is not a list", f"It is {value!r}", "Put a single value in a list"
        )
    return tuple(value.items() if isinstance(value, Mapping) else value)
