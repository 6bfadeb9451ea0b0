"""Questions about items and sets: their lineage and impact, paths, origins and names."""

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Final

from provhouse.model.question import OPTIONAL, AsOf, Direction, Method, Question

from .asking import Askers, Asking, Name, meaning

if TYPE_CHECKING:
    from provhouse.model.answer import Answer
    from provhouse.query.exporting.browser_view import Neo4jView
    from provhouse.query.item_record import ItemRecord
    from provhouse.query.lineage.ask import Asker
    from provhouse.query.lineage.cost_estimates import Explanation
    from provhouse.query.lineage.diff import Diff
    from provhouse.query.lineage.origins import Origins
    from provhouse.query.lineage.path import Paths
    from provhouse.query.lineage.subgraph import Subgraph
    from provhouse.query.listing.find import Finding
    from provhouse.query.listing.show_set import ShownSet

IMPACT: Final = "Show the impact of an item: everything derived from it."
"""The description of ``AskingLineage`` if the direction is downstream."""


@dataclass(frozen=True, eq=False, repr=False)
class AskingLineage(
    Asking["Answer"],
    found="model.answer.Answer",
    result="answer_view.AnswerResult",
    pictured=True,
    schema="answer",
):
    """Show the lineage of an item: everything it was derived from."""

    question: Question

    @property
    def path(self) -> str:
        """The route for lineage or for impact, depending on the question's direction."""
        return "/v1/lineage" if self.question.direction == "upstream" else "/v1/impact"

    def body(self) -> dict[str, object]:
        """Return the fields of the question without its direction."""
        return {name: each for name, each in asdict(self.question).items() if name != "direction"}

    def answer(self, askers: Askers) -> "Answer":
        """Answer the question as of its generation."""
        with askers(self.question.as_of) as asker:
            return asker.answer(self.question)


@dataclass(frozen=True, eq=False, repr=False)
class Between:
    """The parameters that name the paths from one item to another."""

    source: Name
    target: Name
    every: bool = field(
        default=False, metadata=meaning("Every triple on any path, instead of one shortest path")
    )
    as_of: AsOf | None = None


@dataclass(frozen=True, eq=False, repr=False)
class AskingPath(
    Between,
    Asking["Paths"],
    found="query.lineage.path.Paths",
    result="path.PathResult",
    pictured=True,
):
    """Show how one item was derived from another."""

    def find(self, asker: "Asker") -> "Paths":
        """Return a shortest path, or all paths."""
        from provhouse.query.lineage.path import path

        return path(asker, self.source, self.target, every=self.every)


@dataclass(frozen=True, eq=False, repr=False)
class AskingSubgraph(
    Asking["Subgraph"],
    found="query.lineage.subgraph.Subgraph",
    result="subgraph_view.SubgraphResult",
    pictured=True,
    command="provhouse subgraph orders/17",
):
    """Show the ancestors and descendants of an item, and the siblings of its descendants.

    A sibling is another item that a descendant was made from. JSON contains items and triples, CSV
    the triples.
    """

    item: Name
    as_of: AsOf | None = None

    def find(self, asker: "Asker") -> "Subgraph":
        """Return the item's ancestors, descendants and siblings."""
        from provhouse.query.lineage.subgraph import subgraph

        return subgraph(asker, self.item)


@dataclass(frozen=True, eq=False, repr=False)
class AskingOrigins(
    Asking["Origins"],
    found="query.lineage.origins.Origins",
    rows="tables",
    command="provhouse origins revenue/2026-03",
):
    """Show the origins of an item: the sources that it was derived from, by table, with counts.

    A source is derived from nothing. An item that is itself a source has no origins. CSV contains
    the tables. For all sources by name, use lineage with --sources.
    """

    item: Name
    limit: int = field(
        default=5, metadata=meaning("Show the first N sources of each table, by name.", 1)
    )
    as_of: AsOf | None = None

    def find(self, asker: "Asker") -> "Origins":
        """Return the sources of the item."""
        from provhouse.query.lineage.origins import origins

        return origins(asker, self.item, self.limit)


@dataclass(frozen=True, eq=False, repr=False)
class AskingFind(
    Asking["Finding"],
    found="query.listing.find.Finding",
    result="finding.FindingResult",
    quick=True,
    command="provhouse find orders/ --limit 5",
):
    """Find items by the beginning of their names.

    Shows the number of matches and lists the first ones. No match is not an error.
    """

    text: str = field(
        metadata=meaning("The text that names begin with. It is not a pattern.", metavar="TEXT")
    )
    anywhere: bool = field(default=False, metadata=meaning("Match the text anywhere in a name."))
    table: str | None = field(
        default=None, metadata=meaning("Find only items of this table.", metavar="TABLE")
    )
    limit: int = field(
        default=20, metadata=meaning("List up to N items, in order of their names.", 1)
    )

    def find(self, asker: "Asker") -> "Finding":
        """Return the first items with these names."""
        from provhouse.query.listing.find import find

        return find(
            asker.snapshot, self.text, anywhere=self.anywhere, table=self.table, limit=self.limit
        )


@dataclass(frozen=True, eq=False, repr=False)
class AskingRecord(Asking["ItemRecord"], found="query.item_record.ItemRecord", admin=True):
    """Show the record of an item: the values of its columns, from the file that has them.

    Files that captured jobs have read or written have records.
    """

    item: Name
    as_of: AsOf | None = None

    def find(self, asker: "Asker") -> "ItemRecord":
        """Return the record."""
        from provhouse.query.item_record import item_record

        from ..results.record_tables import plain

        found = item_record(asker.snapshot.layout, asker.snapshot, self.item)
        return replace(found, values=plain(found.values))


@dataclass(frozen=True, eq=False, repr=False)
class AskingSet(
    Asking["ShownSet"], found="query.listing.show_set.ShownSet", result="shown_set.ShownSetResult"
):
    """Show a connected set and its items."""

    number: int = field(metadata=meaning("The id of the set, as a number.", 1))
    limit: int = field(default=100, metadata=meaning("List up to N items.", 1))
    as_of: AsOf | None = None

    def find(self, asker: "Asker") -> "ShownSet":
        """Return the set and its first items."""
        from provhouse.model.arrays import SetId
        from provhouse.query.listing.show_set import show_set

        return show_set(asker.snapshot, SetId(self.number), self.limit)


@dataclass(frozen=True, eq=False, repr=False)
class AskingExplain(
    Asking["Explanation"],
    found="query.lineage.cost_estimates.Explanation",
    result="explanation.ExplanationResult",
    schema="explanation",
):
    """Estimate what a question would read."""

    item: Name
    direction: Direction = "upstream"
    method: Method = field(default="auto", metadata=OPTIONAL["method"].metadata)
    depth: int | None = field(default=None, metadata=OPTIONAL["depth"].metadata)
    as_of: AsOf | None = None

    def find(self, asker: "Asker") -> "Explanation":
        """Return the plan and the cost of the question."""
        return asker.explain(self.part(Question))


@dataclass(frozen=True, eq=False, repr=False)
class Compared:
    """The parameters that name an answer in two generations."""

    item: Name
    direction: Direction = "upstream"
    since: AsOf | None = field(kw_only=True)
    until: AsOf | None = None

    def question(self) -> Question:
        """Return the question, as of the earlier generation."""
        return Question(self.item, self.direction, as_of=self.since)


@dataclass(frozen=True, eq=False, repr=False)
class AskingDiff(
    Compared,
    Asking["Diff"],
    found="query.lineage.diff.Diff",
    result="diff.DiffResult",
    pictured=True,
):
    """Compare the answers of two generations."""

    def answer(self, askers: Askers) -> "Diff":
        """Return how the answer changed."""
        from provhouse.query.lineage.diff import compare

        return compare(self.question(), self.until, askers)


@dataclass(frozen=True, eq=False, repr=False)
class AskingView(
    Asking["Neo4jView"], found="query.exporting.browser_view.Neo4jView", result="view.ViewResult"
):
    """Write the lineage or impact of an item into Neo4j, so that Neo4j Browser can show it."""

    item: Name
    direction: Direction = "upstream"
    depth: int | None = field(default=None, metadata=OPTIONAL["depth"].metadata)

    def find(self, asker: "Asker") -> "Neo4jView":
        """Write the view, and return its counts."""
        from provhouse.query.exporting.browser_view import write_view

        return write_view(asker, self.part(Question))
