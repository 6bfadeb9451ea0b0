"""The interface of all results: each can be written as text for people, as JSON or as CSV."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from provhouse.model.progress import START

from .sections import Section

Json: TypeAlias = Mapping[str, object]
"""A JSON object. Its values may be ``JsonRows``, also inside nested objects."""
Csv: TypeAlias = tuple[Sequence[str], Iterable[Sequence[object]]]
"""Column names, and rows whose values are strings, numbers, booleans, None, lists or maps."""


@dataclass(frozen=True)
class JsonRows:
    """A JSON list of objects, one for each row. Rows are read only while the list is written.

    ``pieces`` is called with the separator to put between objects. It yields the JSON text of a few
    thousand objects at a time.
    """

    pieces: Callable[[str], Iterator[str]]


class ShownResult(ABC):
    """A result that can be written in every format."""

    listed: ClassVar[bool] = False
    """Whether the JSON output is one list of all values; otherwise, each value has its own line."""

    @abstractmethod
    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield the sections to print; ``timing`` adds the time of each step of an answer."""

    @abstractmethod
    def json(self) -> Iterator[Json]:
        """Yield the JSON values: a single value, or one for each row or reply."""

    @abstractmethod
    def csv(self) -> Csv:
        """Return the column names and the rows."""


def one_row(values: Mapping[str, object]) -> Csv:
    """Return a single CSV row, with the names of the values as its columns."""
    return tuple(values), [tuple(values.values())]


def attributes(of: object, *names: str) -> dict[str, object]:
    """Return the named attributes of an object as a mapping."""
    return {name: getattr(of, name) for name in names}


def rounded(seconds: Mapping[str, float]) -> dict[str, float]:
    """Return the times of all steps except starts, in seconds, rounded to microseconds."""
    return {step: round(took, 6) for step, took in seconds.items() if not step.startswith(START)}
