"""The names that a generated expression can use, and facts about the SQL written so far."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from .schema import Kind


@dataclass(frozen=True)
class Column:
    """A column: its expression, its kind, and its name (empty if outer queries cannot name it)."""

    text: str
    kind: Kind
    name: str = ""


@dataclass(frozen=True)
class Scope:
    """The columns of one query block, or its grouping keys.

    ``raw`` has the columns that can be used inside the block's aggregates.
    """

    columns: tuple[Column, ...] = ()
    outer: "Scope | None" = None
    raw: "Scope | None" = None
    rows: tuple[str, ...] = ()
    """The aliases of the sources. Each alias refers to a complete row."""
    windows: bool = False
    """Whether window functions may be used."""
    number: int = 0
    """The number of sources."""

    def plain(self) -> "Scope":
        """Return the scope without window functions and aggregates."""
        return replace(self, windows=False, raw=None)


@dataclass
class Query:
    """A query's SQL text and its columns. A column without a name cannot be referred to."""

    text: str
    columns: list[Column] = field(default_factory=list)


class Facts:
    """Random choices, and the resulting facts about the SQL text."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.tags: set[str] = set()
        """The constructs in the SQL text. Refusals are counted by construct."""
        self.fragile = False
        """Whether the query may leave out rows for reasons that no row's records can show."""
        self.chooses = False
        """Whether DuckDB may choose among rows, as for a LIMIT over ties."""
        self.sure = True
        """Whether a row must disappear or change if its records of one reference are deleted."""
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
        """Note that the SQL text contains the construct ``name``."""
        self.tags.add(name)
        self.fragile |= fragile
        self.chooses |= chooses

    @contextmanager
    def within(self, place: str, *, nested: bool = False) -> Iterator[None]:
        """During the block, note that the next part is written at ``place`` in the SQL text."""
        before, self.place = self.place, place
        self.nested += nested
        try:
            yield
        finally:
            self.place = before
            self.nested -= nested
