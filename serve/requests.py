"""The parameters of HTTP requests.

The OpenAPI document contains the names of these classes. The fields of a question come from the
class ``Question``: a filter added to it becomes a parameter of `/v1/lineage` and `/v1/impact`.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Annotated, Any, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from provhouse.model.deletion import Deletion
from provhouse.model.question import OPTIONAL, AsOf, Direction, Question
from provhouse.model.semiring import Aggregates, Evaluating, Semiring
from provhouse.model.zoom import Level

OUTPUT_OPTIONS = frozenset({"width", "color", "timing", "csv_safe", "order"})
AS_OF = OPTIONAL["as_of"].metadata["help"]
Name = Annotated[str, Field(min_length=1)]
Model = TypeVar("Model", bound=BaseModel)


def _question_fields() -> dict[str, Any]:
    """Return the optional fields of Question as fields of a request."""
    types = get_type_hints(Question)
    return {
        name: (
            types[name],
            Field(
                default=field.default,
                ge=field.metadata["at_least"],
                description=field.metadata["help"],
            ),
        )
        for name, field in OPTIONAL.items()
    }


QUESTION_FIELDS = _question_fields()


def _with_question_fields(*names: str) -> Callable[[type[Model]], type[Model]]:
    """Return a decorator that adds fields of Question to a request: all fields if none is named."""

    def extend(model: type[Model]) -> type[Model]:
        added = {name: QUESTION_FIELDS[name] for name in names or QUESTION_FIELDS}
        return create_model(
            model.__name__, __base__=model, __module__=model.__module__, __doc__=model.__doc__,
            **added,
        )  # fmt: skip

    return extend


class _Asking(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _without_output_options(cls, given: object) -> object:
        """Remove the parameters that choose the format. For a GET, FastAPI passes them, too."""
        if not isinstance(given, Mapping):
            return given
        return {name: value for name, value in given.items() if name not in OUTPUT_OPTIONS}


@_with_question_fields()
class Asking(_Asking):
    """Options of a lineage or an impact."""

    def question(self, item: str, direction: Direction) -> Question:
        """Return the question about one item."""
        return Question(item, direction, **self.model_dump(exclude={"item", "items"}))


class AskingOne(Asking):
    """A question about one item."""

    item: Name


class AskingMany(Asking):
    """A question about many items; the answers come in the order of the items, one on a line."""

    items: Annotated[list[Name], Field(min_length=1)]


class AskingPath(_Asking):
    """Show how one item was derived from another."""

    source: Annotated[Name, Field(alias="from")]
    target: Annotated[Name, Field(alias="to")]
    every: Annotated[
        bool,
        Field(alias="all", description="Every triple on any path, instead of one shortest path"),
    ] = False
    as_of: Annotated[AsOf | None, Field(description=AS_OF)] = None


class AskingSubgraph(_Asking):
    """Show the ancestors and descendants of an item, and the siblings of its descendants."""

    item: Name
    as_of: Annotated[AsOf | None, Field(description=AS_OF)] = None


class AskingFind(_Asking):
    """Find items by a part of their names."""

    text: str
    anywhere: Annotated[
        bool, Field(description="Match anywhere in a name, not only at its beginning")
    ] = False
    table: str | None = None
    limit: Annotated[int, Field(ge=1)] = 20


@_with_question_fields("method", "depth", "as_of")
class AskingExplain(_Asking):
    """Estimate what a question would read."""

    item: Name
    direction: Direction = "upstream"

    def question(self) -> Question:
        """Return the question to explain."""
        return Question(**self.model_dump())


class AskingView(_Asking):
    """Write the lineage or impact of an item into Neo4j, to look at in Neo4j Browser."""

    item: Name
    direction: Direction = "upstream"
    depth: Annotated[int | None, Field(ge=1, description="At most this many hops away")] = None

    def question(self) -> Question:
        """Return the question whose answer is to be written to Neo4j."""
        return Question(self.item, self.direction, depth=self.depth)


class AskingSet(_Asking):
    """Show a connected set and its items."""

    number: Annotated[int, Field(alias="set", ge=1)]
    limit: Annotated[int, Field(ge=1)] = 100
    as_of: Annotated[AsOf | None, Field(description=AS_OF)] = None


class AskingOps(_Asking):
    """List the ops that are described."""

    as_of: Annotated[AsOf | None, Field(description=AS_OF)] = None


class _AskingDeletion(_Asking):
    items: Annotated[list[Name], Field(description="Items to delete")] = []
    tables: Annotated[list[str], Field(description="Tables, of which all items are deleted")] = []
    where: Annotated[
        list[tuple[Name, str]],
        Field(description="Of the items of these tables, only those with these attributes"),
    ] = []
    ops: Annotated[list[str], Field(description="Ops, of which all triples are deleted")] = []
    files: Annotated[list[Name], Field(description="Files whose triples are deleted")] = []
    runs: Annotated[list[Name], Field(description="Runs whose triples are deleted")] = []
    as_of: Annotated[AsOf | None, Field(description=AS_OF)] = None

    def deletion(self) -> Deletion:
        """Return what is supposed to be deleted."""
        names = (field.name for field in fields(Deletion))
        return Deletion(**{name: tuple(getattr(self, name)) for name in names})


class AskingWhatIf(_AskingDeletion):
    """Show what would happen if items or triples did not exist."""

    summary: Annotated[bool, Field(description="Counts by table only")] = False


class AskingWhatIfEach(_Asking):
    """Show what the aggregates of an item would be without each of their inputs."""

    item: Name
    limit: Annotated[int, Field(ge=1, description="At most this many inputs")] = 100
    as_of: Annotated[AsOf | None, Field(description=AS_OF)] = None


class AskingDepends(_Asking):
    """Show whether an item would exist without another one."""

    item: Name
    on: Name
    as_of: Annotated[AsOf | None, Field(description=AS_OF)] = None


class AskingWhy(_Asking):
    """Show the derivations of an item."""

    item: Name
    limit: Annotated[int, Field(ge=1, description="At most this many inputs")] = 100
    as_of: Annotated[AsOf | None, Field(description=AS_OF)] = None


class AskingWhyChanged(_Asking):
    """Show why an item changed: the inputs that came, went or gave another value."""

    item: Name
    since: Annotated[AsOf, Field(alias="from", description=AS_OF)]
    until: Annotated[AsOf | None, Field(alias="to", description=AS_OF)] = None
    limit: Annotated[int, Field(ge=1, description="At most this many inputs")] = 100


class AskingEvaluate(_Asking):
    """Evaluate the derivations of an item in a semiring."""

    item: Name
    semiring: Semiring
    weights: Annotated[
        list[tuple[Name, float]], Field(description="Sources and their weights")
    ] = []
    aggregates: Annotated[
        Aggregates, Field(description="Whether an aggregate takes one of its inputs or all")
    ] = "any"
    as_of: Annotated[AsOf | None, Field(description=AS_OF)] = None

    def evaluating(self) -> Evaluating:
        """Return the question."""
        return Evaluating(self.item, self.semiring, dict(self.weights), self.aggregates)


class AskingModules(_Asking):
    """List the modules that are declared or described."""

    as_of: Annotated[AsOf | None, Field(description=AS_OF)] = None


class AskingInvocations(_Asking):
    """List the invocations of a module."""

    module: Name
    run: Annotated[str | None, Field(description="Only invocations of this run")] = None
    as_of: Annotated[AsOf | None, Field(description=AS_OF)] = None


@_with_question_fields()
class AskingZoom(_Asking):
    """Show the lineage or impact of an item at the level of modules, tables, sets or records."""

    item: Name
    direction: Direction = "upstream"
    zoom: Level = "module"
    fold: Annotated[tuple[str, ...], Field(description="Modules to fold into one node each")] = ()
    foldable: Annotated[
        bool, Field(description="Add what a page needs to fold and unfold modules itself")
    ] = False

    def question(self) -> Question:
        """Return the question whose answer is to be shown."""
        return Question(**self.model_dump(exclude={"zoom", "fold", "foldable"}))


class _AskingView(_Asking):
    zoom: Level = "module"
    fold: Annotated[tuple[str, ...], Field(description="Modules to fold into one node each")] = ()


class AskingZoomPath(AskingPath, _AskingView):
    """Show how one item was derived from another, as modules, tables, sets or records."""


class AskingZoomWhatIf(_AskingDeletion, _AskingView):
    """Show what would happen if items or triples did not exist, as modules, tables or sets."""


class AskingDiff(_Asking):
    """Compare the answers of two generations."""

    item: Name
    direction: Direction = "upstream"
    since: Annotated[AsOf | None, Field(alias="from", description=AS_OF)]
    until: Annotated[AsOf | None, Field(alias="to", description=AS_OF)] = None


class AskingZoomDiff(AskingDiff, _AskingView):
    """Compare the answers of two generations, as modules, tables, sets or records."""


class Health(BaseModel):
    """Whether the server can answer, from which generation, and if not, why.

    ``cold`` is the number of partitions not yet in memory; questions that need them take longer.
    """

    ready: bool
    generation: int | None
    empty: bool
    cold: int
    why: str


class Problem(BaseModel):
    """An error: the problem (``title``), its cause (``detail``) and what to do (``remedy``)."""

    title: str
    status: int
    detail: str
    remedy: str
    exit_status: int
