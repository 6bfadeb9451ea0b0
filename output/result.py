"""The interface of results: text for people, JSON values and CSV rows."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from .layout import Section

Json: TypeAlias = Mapping[str, object]
"""A JSON object; its values, and theirs, may be ``JsonRows``."""
Csv: TypeAlias = tuple[Sequence[str], Iterable[Sequence[object]]]
"""Column names and rows of text, numbers, booleans, None, lists and maps."""


@dataclass(frozen=True)
class JsonRows:
    """A JSON list of objects that is read while it is written.

    ``pieces`` takes the separator of objects and yields the text of a few thousand at a time.
    """

    pieces: Callable[[str], Iterator[str]]


class Result(ABC):
    """A result, in each of the forms that writers write."""

    listed: ClassVar[bool] = False
    """Whether JSON has the values in one list; otherwise each is a line of its own."""

    @abstractmethod
    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield the sections to print; ``timing`` adds the time of each step of an answer."""

    @abstractmethod
    def json(self) -> Iterator[Json]:
        """Yield the JSON values: one, or one for each row or reply."""

    @abstractmethod
    def csv(self) -> Csv:
        """Return the column names and the rows."""


def one_row(values: Mapping[str, object]) -> Csv:
    """Return one row, with the names as columns."""
    return tuple(values), [tuple(values.values())]


def attributes(of: object, *names: str) -> dict[str, object]:
    """Return the named attributes of an object."""
    return {name: getattr(of, name) for name in names}


def rounded(seconds: Mapping[str, float]) -> dict[str, float]:
    """Return times rounded to microseconds."""
    return {step: round(value, 6) for step, value in seconds.items()}
