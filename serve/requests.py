"""What may be asked over the wire, typed; the answers are the stable forms of a command."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from provhouse.model.question import Direction, Method, Question

AsOf = Annotated[
    int | str | None, Field(description="A generation, or a time in ISO 8601; else the current one")
]
LOOKS = frozenset({"width", "color", "timing", "csv_safe"})
Name = Annotated[str, Field(min_length=1)]


class _Asking(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _without_looks(cls, given: object) -> object:
        """Of a GET, FastAPI hands over all parameters, also those that say how it shall look."""
        if not isinstance(given, Mapping):
            return given
        return {name: value for name, value in given.items() if name not in LOOKS}


class Asking(_Asking):
    """How much of a lineage or an impact is wanted."""

    method: Method = "auto"
    depth: Annotated[int | None, Field(ge=1, description="At most so many hops away")] = None
    through: Annotated[
        str | None, Field(description="Only ways that pass an item of this table")
    ] = None
    tables: Annotated[tuple[str, ...], Field(description="Only items of these tables")] = ()
    ops: Annotated[tuple[str, ...], Field(description="Only triples with one of these ops")] = ()
    where: Annotated[
        tuple[tuple[str, str], ...], Field(description="Only triples with these attributes")
    ] = ()
    ends: Annotated[bool, Field(description="Only items at which all ways end")] = False
    limit: Annotated[int | None, Field(ge=1, description="At most so many items")] = None
    summary: Annotated[bool, Field(description="Counts instead of items and triples")] = False
    as_of: AsOf = None

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


class AskingExplain(_Asking):
    """What a question would read."""

    item: Name
    direction: Direction = "upstream"
    method: Method = "auto"
    depth: Annotated[int | None, Field(ge=1)] = None
    as_of: AsOf = None


class AskingDiff(_Asking):
    """What came and went between two generations."""

    item: Name
    direction: Direction = "upstream"
    since: Annotated[AsOf, Field(alias="from")]
    until: Annotated[AsOf, Field(alias="to")] = None


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
