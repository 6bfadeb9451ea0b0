"""What goes over the wire, typed; the stable forms of the command with the same names."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from provhouse.query.question import Direction, Method, Question


class Asking(BaseModel):
    """How much of a lineage or an impact is wanted."""

    model_config = ConfigDict(extra="forbid")

    method: Method = "auto"
    depth: Annotated[int | None, Field(ge=1, description="At most so many hops away.")] = None
    through: Annotated[
        str | None, Field(description="Only ways that pass an item of this table.")
    ] = None
    tables: Annotated[tuple[str, ...], Field(description="Only items of these tables.")] = ()
    ops: Annotated[tuple[str, ...], Field(description="Only triples with one of these ops.")] = ()
    where: Annotated[
        tuple[tuple[str, str], ...], Field(description="Only triples with these attributes.")
    ] = ()
    ends: Annotated[bool, Field(description="Only items at which all ways end.")] = False
    limit: Annotated[int | None, Field(ge=1, description="At most so many items.")] = None
    summary: Annotated[bool, Field(description="Counts instead of items and triples.")] = False

    def question(self, item: str, direction: Direction) -> Question:
        """The same of one item."""
        wanted = self.model_dump(exclude={"item", "items"})
        return Question(item, direction, **wanted)


class AskingOne(Asking):
    """A question of one item."""

    item: Annotated[str, Field(min_length=1)]


class AskingMany(Asking):
    """The same question of many items; the answers come one a line, in their order."""

    items: Annotated[list[str], Field(min_length=1)]


class Item(BaseModel):
    """An item of an answer."""

    item: str
    table: str
    depth: int


class Triple(BaseModel):
    """A triple of an answer."""

    src: str
    dst: str
    op: str
    attributes: dict[str, Any]


class Read(BaseModel):
    """How much was read."""

    sets: int
    partitions: int
    triples: int


class Lineage(BaseModel):
    """An answer: a lineage or an impact."""

    item: str
    direction: Direction
    method: Method
    generation: int
    time: str
    complete: bool
    truncated: Literal["depth", "limit"] | None
    items: list[Item]
    triples: list[Triple]
    read: Read
    seconds: dict[str, float]


class Held(BaseModel):
    """What is held and what runs."""

    warehouse: str
    generation: int | None
    triples: int
    items: int
    components: int
    sets: int
    set_dependencies: int
    partitions: int
    compact: bool
    neo4j: str | None
    server: str | None


class Health(BaseModel):
    """Whether questions are answered, from which generation, and if not, why not."""

    ready: bool
    generation: int | None
    empty: bool
    why: str


class Problem(BaseModel):
    """What went wrong: what was wanted, what was found (``detail``), what to do (``remedy``)."""

    title: str
    status: int
    detail: str
    remedy: str
    exit_status: int
