"""Questions about workflows: their revisions and results, reuse, and what changed."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .asking import AskingStored, Name, meaning

if TYPE_CHECKING:
    from provhouse.store.warehouse.layout import Layout
    from provhouse.workflows.listed import Results, Revisions
    from provhouse.workflows.reuse_search import Reuse

SINK = meaning("The sink of the revision. A single query has one, named result.")


@dataclass(frozen=True, eq=False, repr=False)
class AskingRevisions(
    AskingStored["Revisions"],
    found="workflows.listed.Revisions",
    result="stored_rows.RevisionsResult",
    quick=True,
):
    """List the revisions of a workflow, or the newest revision of each workflow."""

    workflow: str | None = field(default=None, metadata=meaning("Name of the workflow"))

    def read(self, layout: "Layout") -> "Revisions":
        """Return the revisions."""
        from provhouse.workflows.listed import list_revisions

        return list_revisions(layout, self.workflow)


@dataclass(frozen=True, eq=False, repr=False)
class AskingResults(
    AskingStored["Results"],
    found="workflows.listed.Results",
    result="stored_rows.ResultsResult",
    quick=True,
    command="provhouse results tweets",
):
    """List the results of a workflow: which execution gave them, and whether they can be used."""

    workflow: Name = field(metadata=meaning("Name of the workflow.", metavar="WORKFLOW"))

    def read(self, layout: "Layout") -> "Results":
        """Return the results."""
        from provhouse.workflows.listed import list_results

        return list_results(layout, self.workflow)


@dataclass(frozen=True, eq=False, repr=False)
class AskingReuse(
    AskingStored["Reuse"],
    found="workflows.reuse_search.Reuse",
    result="stored_rows.ReuseResult",
    quick=True,
):
    """Say whether a stored result can be used instead of executing a revision."""

    revision: Name = field(metadata=meaning("Name of the revision, such as tweets@r3"))
    sink: str | None = field(default=None, metadata=SINK)
    columns: tuple[Name, ...] = field(
        default=(), metadata=meaning("The columns that the reader of the result uses")
    )
    inputs: tuple[tuple[Name, Name], ...] = field(
        default=(), metadata=meaning("Tables and their states, such as DELTA@12")
    )
    audit: float = field(
        default=0.0, metadata=meaning("The share of reuses that are executed all the same", 0)
    )

    def read(self, layout: "Layout") -> "Reuse":
        """Return whether a result can be used."""
        from provhouse.workflows.reuse import reuse

        inputs = dict(self.inputs)
        return reuse(layout, self.revision, self.sink, self.columns, inputs, self.audit)
