"""The names that a generated expression can use, and facts about the text written so far."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from .schema import Kind


@dataclass(frozen=True)
class Column:
    """An expression for a column, its kind, and a name if the column can be named from outside."""

    text: str
    kind: Kind
    name: str = ""


@dataclass(frozen=True)
class Scope:
    """The columns of one block, or the keys of its groups.

    ``raw`` has the columns that can be used inside the block's aggregates.
    """

    columns: tuple[Column, ...] = ()
    outer: "Scope | None" = None
    raw: "Scope | None" = None
    rows: tuple[str, ...] = ()
    """The aliases of the sources. Each alias names a whole row."""
    windows: bool = False
    """Whether window functions may be used."""
    number: int = 0
    """The number of sources."""

    def plain(self) -> "Scope":
        """Return the scope without window functions and aggregates."""
        return replace(self, windows=False, raw=None)


@dataclass
class Query:
    """The text of a query, and its columns. A column with an empty name cannot be named."""

    text: str
    columns: list[Column] = field(default_factory=list)


class Facts:
    """Random choices, and facts about the text that result from them."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.tags: set[str] = set()
        """The constructs in the text. Refusals are counted by construct."""
        self.fragile = False
        """Whether rows may be absent for reasons that the records of a row cannot show."""
        self.chooses = False
        """Whether DuckDB may choose among rows, as for a LIMIT over ties."""
        self.sure = True
        """Whether each row must disappear or change if its records of one reference are deleted."""
        self.grouped = False
        self.monotone = True
        """Whether fewer records never lead to additional or different rows."""
        self.place = "the select list"
        self.nested = 0
        self.size = 0

    def chance(self, share: float) -> bool:
        """Return true with the probability ``share``."""
        return self.rng.random() < share

    def weighted(self, choices: Sequence[tuple[float, str]]) -> str:
        """Return one of the choices, drawn by weight."""
        return self.rng.choices([each for _, each in choices], [each for each, _ in choices])[0]

    def tag(self, name: str, *, fragile: bool = False, chooses: bool = False) -> None:
        """Note that the text contains the construct ``name``."""
        self.tags.add(name)
        self.fragile |= fragile
        self.chooses |= chooses

    @contextmanager
    def within(self, place: str, *, nested: bool = False) -> Iterator[None]:
        """Note the place in the text where the next part is written, during the block."""
        before, self.place = self.place, place
        self.nested += nested
        try:
            yield
        finally:
            self.place = before
            self.nested -= nested
