"""What every result gives: text for people, JSON values, and rows."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from .layout import Section

Json: TypeAlias = Mapping[str, object]
"""A JSON object; one of its values, or of a value's values, may be ``JsonRows``."""
Csv: TypeAlias = tuple[Sequence[str], Iterable[Sequence[object]]]
"""Column names and rows of text, numbers, booleans, None, lists and maps."""


@dataclass(frozen=True)
class JsonRows:
    """A JSON list of objects that is read while it is written.

    ``pieces`` takes the text between two objects and yields text of some thousand at a time.
    """

    pieces: Callable[[str], Iterator[str]]


class Result(ABC):
    """One result, in the forms that writers write."""

    listed: ClassVar[bool] = False
    """Whether JSON writes the values as one list; else each value is a line of its own."""

    @abstractmethod
    def text(self, timing: bool = False) -> Iterator[Section]:
        """Yield what to print, top to bottom; ``timing`` adds the time of each step."""

    @abstractmethod
    def json(self) -> Iterator[Json]:
        """Yield JSON values: one, or one for each of many."""

    @abstractmethod
    def csv(self) -> Csv:
        """Return column names and rows."""


def one_row(values: Mapping[str, object]) -> Csv:
    """Return names and values as the columns of one row."""
    return tuple(values), [tuple(values.values())]


def attributes(of: object, *names: str) -> dict[str, object]:
    """Return some attributes of an object by their names."""
    return {name: getattr(of, name) for name in names}


def rounded(seconds: Mapping[str, float]) -> dict[str, float]:
    """Return times to the microsecond."""
    return {step: round(value, 6) for step, value in seconds.items()}
