"""Questions about workflows: their revisions and results, reuse, and what changed."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .asking import Asking, AskingStored, Name, meaning
from .asking_of_inputs import AskingOfInputs

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from provhouse.query.lineage.ask import Asker
    from provhouse.store.warehouse.layout import Layout
    from provhouse.workflows.listed import Results, Revisions
    from provhouse.workflows.responsible import ResponsibleInputs
    from provhouse.workflows.reuse_search import Reuse
    from provhouse.workflows.revision_diff import RevisionDiff
    from provhouse.workflows.why_not_reused import WhyNotReused

SINK = meaning("The sink of the revision. A single query has one, named result.")


@dataclass(frozen=True, eq=False, repr=False)
class AskingRevisions(
    AskingStored["Revisions"],
    found="workflows.listed.Revisions",
    rows="revisions",
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
    AskingOfInputs["Results"],
    found="workflows.listed.Results",
    rows="results",
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
    AskingOfInputs["Reuse"],
    found="workflows.reuse_search.Reuse",
    quick=True,
):
    """Say whether a stored result can be used instead of executing a revision."""

    local = ("inputs", "audit")

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
        return self._found(layout, store=True)

    def read_only(self, layout: "Layout") -> "Reuse":
        """Return whether a result can be used, and store no verdict."""
        return self._found(layout, store=False)

    def _found(self, layout: "Layout", *, store: bool) -> "Reuse":
        from provhouse.workflows.reuse import reuse

        given = self.revision, self.sink, self.columns, dict(self.inputs), self.audit
        return reuse(layout, *given, store=store)


@dataclass(frozen=True, eq=False, repr=False)
class AskingWhyNotReused(
    AskingOfInputs["WhyNotReused"],
    found="workflows.why_not_reused.WhyNotReused",
    quick=True,
    command="provhouse why-not-reused tweets@r2 --sink map",
):
    """Say why a revision has to be executed: the first operator that differs.

    It is compared with the revision that has a result and the most operators in common. The exit
    status is 0 also if a stored result can be used.
    """

    revision: Name = field(
        metadata=meaning("Name of the revision, such as tweets@r3.", metavar="REVISION")
    )
    sink: str | None = field(default=None, metadata={**SINK, "metavar": "SINK"})

    def read(self, layout: "Layout") -> "WhyNotReused":
        """Return the reason."""
        from provhouse.workflows.why_not_reused import why_not_reused

        return why_not_reused(layout, self.revision, self.sink)

    def read_only(self, layout: "Layout") -> "WhyNotReused":
        """Return the reason, and store no verdict."""
        from provhouse.workflows.why_not_reused import why_not_reused

        return why_not_reused(layout, self.revision, self.sink, store=False)


@dataclass(frozen=True, eq=False, repr=False)
class AskingRevisionDiff(
    AskingOfInputs["RevisionDiff"],
    found="workflows.revision_diff.RevisionDiff",
    result="revision_diff_view.RevisionDiffResult",
    quick=True,
):
    """Show what changed between two revisions, and between their results."""

    before: Name = field(metadata=meaning("Name of the earlier revision"))
    after: Name = field(metadata=meaning("Name of the later revision"))
    sink: str | None = field(default=None, metadata=SINK)
    records: bool = field(default=False, metadata=meaning("Compare the records of the results too"))
    key: tuple[Name, ...] = field(
        default=(), metadata=meaning("The columns that identify a record")
    )
    limit: int = field(default=100, metadata=meaning("At most this many records", 1))

    def read(self, layout: "Layout") -> "RevisionDiff":
        """Return the difference."""
        from provhouse.workflows.revision_diff import diff_revisions

        return diff_revisions(
            layout,
            self.before,
            self.after,
            self.sink,
            records=self.records,
            key=self.key,
            limit=self.limit,
        )


@dataclass(frozen=True, eq=False, repr=False)
class AskingResponsibleInputs(
    Asking["ResponsibleInputs"],
    found="workflows.responsible.ResponsibleInputs",
    rows="tables",
    result="responsible_view.ResponsibleInputsResult",
):
    """Show the inputs that are responsible for the difference of two results, by record lineage.

    The results are of captured runs. The inputs of a record that came, went or changed are the
    sources of its items in both runs. CSV contains their numbers by table.
    """

    private = ("notes",)

    before: Name = field(metadata=meaning("Name of the earlier revision"))
    after: Name = field(metadata=meaning("Name of the later revision"))
    sink: str | None = field(default=None, metadata=SINK)
    limit: int = field(default=100, metadata=meaning("At most this many records", 1))

    def find(self, asker: "Asker") -> "ResponsibleInputs":
        """Return the inputs."""
        from provhouse.workflows.responsible import responsible_inputs

        return responsible_inputs(asker, self.before, self.after, self.sink, self.limit)

    def places(self, layout: "Layout") -> "Iterable[Path]":
        """Return the paths of all inputs."""
        from provhouse.workflows.executions import input_places

        return input_places(layout)
