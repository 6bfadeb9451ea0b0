"""The names that a generated expression can use, and facts about the text so far."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from .schema import Kind


@dataclass(frozen=True)
class Column:
    """An expression for a column, its kind, and its name if it can be named from outside."""

    text: str
    kind: Kind
    name: str = ""


@dataclass(frozen=True)
class Scope:
    """The columns of one block, or its group keys; ``raw`` are those inside its aggregates."""

    columns: tuple[Column, ...] = ()
    outer: "Scope | None" = None
    raw: "Scope | None" = None
    rows: tuple[str, ...] = ()
    """The aliases of the sources, each of which names a whole row."""
    windows: bool = False
    """Whether window functions may be used."""
    number: int = 0
    """The number of sources."""

    def plain(self) -> "Scope":
        """Return the scope without window functions and aggregates."""
        return replace(self, windows=False, raw=None)


@dataclass
class Query:
    """The text of a query, and its columns; those without a name cannot be named."""

    text: str
    columns: list[Column] = field(default_factory=list)


class Facts:
    """Choices at random, and facts about the text that they make."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.tags: set[str] = set()
        """The constructs of the text, by which refusals are counted."""
        self.fragile = False
        """Whether rows may be absent in a way that the records of a row cannot show."""
        self.chooses = False
        """Whether DuckDB may choose among rows, as with LIMIT over ties."""
        self.sure = True
        """Whether a row must go or change without its records of one reference."""
        self.grouped = False
        self.monotone = True
        """Whether fewer records cannot make more rows, or other ones."""
        self.place = "the select list"
        self.nested = 0
        self.size = 0

    def chance(self, share: float) -> bool:
        """Return true in a share of the cases."""
        return self.rng.random() < share

    def weighted(self, choices: Sequence[tuple[float, str]]) -> str:
        """Return one of the choices, by weight."""
        return self.rng.choices([each for _, each in choices], [each for each, _ in choices])[0]

    def tag(self, name: str, *, fragile: bool = False, chooses: bool = False) -> None:
        """Note that the text has a construct."""
        self.tags.add(name)
        self.fragile |= fragile
        self.chooses |= chooses

    @contextmanager
    def within(self, place: str, *, nested: bool = False) -> Iterator[None]:
        """Say where in the text the next part is."""
        before, self.place = self.place, place
        self.nested += nested
        try:
            yield
        finally:
            self.place = before
            self.nested -= nested
