"""Questions about workflows: revisions, results, reuse, and what changed."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from provhouse.output.questions.asking import Asking, Found
from provhouse.output.questions.workflow_questions import (
    AskingResponsibleInputs,
    AskingResults,
    AskingReuse,
    AskingRevisionDiff,
    AskingRevisions,
    AskingWhyNotReused,
)

if TYPE_CHECKING:
    from provhouse.workflows.listed import ListedResult, ListedRevision
    from provhouse.workflows.responsible import ResponsibleInputs
    from provhouse.workflows.reuse_search import Reuse
    from provhouse.workflows.revision_diff import RevisionDiff
    from provhouse.workflows.why_not_reused import WhyNotReused


class Revised(ABC):
    """The questions about workflows. ``docs/revisions.md`` explains the answers."""

    @abstractmethod
    def ask(self, asked: Asking[Found]) -> Found:
        """Answer a question."""

    def revisions(self, workflow: str | None = None) -> "tuple[ListedRevision, ...]":
        """Return the revisions of a workflow, or the newest revision of each workflow.

        >>> [each.revision for each in warehouse.revisions()]
        []
        """
        return self.ask(AskingRevisions(workflow)).revisions

    def workflow_results(self, workflow: str) -> "tuple[ListedResult, ...]":
        """Return the stored results of a workflow; raise NotFound if it has no revision.

        >>> added = warehouse.add_revision("sales", "select 1 as a")
        >>> warehouse.workflow_results("sales")
        ()
        """
        return self.ask(AskingResults(workflow)).results

    def reuse(
        self,
        revision: str,
        sink: str | None = None,
        *,
        columns: Sequence[str] = (),
        inputs: Mapping[str, str] | None = None,
        audit: float = 0.0,
    ) -> "Reuse":
        """Return whether a stored result can be used instead of executing a revision.

        Without ``inputs``, the inputs of the workflow's newest execution are used, in their current
        state. With ``columns``, only these columns of the result are needed. ``audit`` is the
        fraction of reusable results that are executed nevertheless. Raises NotFound if the revision
        or the sink is not stored.

        >>> added = warehouse.add_revision("sales", "select 1 as a")
        >>> warehouse.reuse(added.revision).decision
        'build'
        """
        given = tuple((inputs or {}).items())
        return self.ask(AskingReuse(revision, sink, tuple(columns), given, audit))

    def why_not_reused(self, revision: str, sink: str | None = None) -> "WhyNotReused":
        """Return the reason why a revision has to be executed; raise NotFound if it is not stored.

        >>> added = warehouse.add_revision("sales", "select random() as a")
        >>> warehouse.why_not_reused(added.revision).reason
        'the function random'
        """
        return self.ask(AskingWhyNotReused(revision, sink))

    def diff_revisions(
        self,
        before: str,
        after: str,
        sink: str | None = None,
        *,
        records: bool = False,
        key: Sequence[str] = (),
        limit: int = 100,
    ) -> "RevisionDiff":
        """Return what changed between two revisions and, with ``records``, between their results.

        ``key`` are the columns that identify a record. Raises NotFound if a revision, the sink or,
        for records, an execution is not stored.

        >>> for number in (1, 2):
        ...     added = warehouse.add_revision("sales", f"select {number} as a")
        >>> warehouse.diff_revisions("sales@r1", "sales@r2").verdict
        'different'
        """
        asked = AskingRevisionDiff(before, after, sink, records, tuple(key), limit)
        return self.ask(asked)

    def responsible_inputs(
        self, before: str, after: str, sink: str | None = None, *, limit: int = 100
    ) -> "ResponsibleInputs":
        """Return the sources of the first records that differ between two results.

        Both results must come from captured runs. Raises NotFound if a revision, the sink or an
        execution is not stored, and UsageError if a result has no lineage.

        >>> added = warehouse.add_revision("one", "select 1 as a")
        >>> pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), parquet)
        >>> done = warehouse.add_execution(added.revision, {"result": parquet})
        >>> warehouse.responsible_inputs("one@r1", "one@r1")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        provhouse.model.errors.NotFound: The warehouse ...
        """
        return self.ask(AskingResponsibleInputs(before, after, sink, limit))
