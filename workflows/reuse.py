"""Whether a stored result can be used instead of executing a revision.

Only equality that is certain permits reuse: equal keys, or a proof. Whatever else keeps a result
from being used is the reason of the answer ``build``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from provhouse.equivalence.plan_form import doubts
from provhouse.equivalence.verdict import by_key, first_difference
from provhouse.model.errors import BadInput, NotFound, UsageError
from provhouse.model.settings import Settings
from provhouse.store.warehouse.layout import Layout

from .candidates import Candidate, candidates, nearest, pins_now
from .executions import broken_for, not_offered, results_of
from .pins import Pin, pinned
from .result_files import ResultFile, result_path
from .revision_names import revision_name
from .revisions import SinkPlan, find_revision

Decision = Literal["reuse", "build"]


@dataclass(frozen=True)
class Reuse:
    """Whether a stored result can be used, and why."""

    revision: str
    sink: str
    decision: Decision
    reason: str
    by: str = ""
    """What shows that the result is the same: key, columns or proof."""
    path: str = ""
    """The file of the result."""
    of: str = ""
    """The revision whose execution gave the result."""
    execution: str = ""
    result: str = ""
    operator: str = ""
    """The first operator that the nearest revision with a result lacks."""


def reuse(
    settings: Settings,
    name: str,
    sink: str | None = None,
    columns: Sequence[str] = (),
    inputs: Mapping[str, str] | None = None,
) -> Reuse:
    """Return whether a stored result can be used for a sink of a revision.

    Without ``inputs``, they are those of the workflow's newest execution, in their state now. With
    ``columns``, only these columns of the result must be equal. Raises NotFound if the revision or
    the sink is not stored, BadInput if a given input cannot be read.
    """
    layout = Layout(settings.warehouse)
    revision = find_revision(layout, revision_name(name))
    sink, plan = revision.sink(sink)
    _check_columns(plan, columns)
    answer = Reuse(name, sink, "build", "")
    if reasons := doubts(plan.plan):
        return replace(answer, reason=reasons[0])
    try:
        pins = pinned(inputs) if inputs else pins_now(layout, revision.name.workflow, plan)
    except (BadInput, NotFound) as error:
        if inputs:
            raise
        return replace(answer, reason=error.wanted)
    if broken := broken_for(plan, pins):
        return replace(answer, reason=broken)
    return Search(layout, answer, plan, tuple(columns), results_of(layout)).among(
        candidates(layout, plan, pins)
    )


@dataclass(frozen=True)
class Search:
    """The search for a result of one sink."""

    layout: Layout
    answer: Reuse
    plan: SinkPlan
    columns: tuple[str, ...]
    results: Mapping[str, ResultFile]

    def among(self, found: Sequence[Candidate]) -> Reuse:
        """Return the answer, if these are all executions."""
        reasons = []
        for each in found:
            if verdict := self._by_key(each):
                reason = self._hindrance(each)
                if not reason:
                    return self._use(each, verdict, "columns" if self.columns else "key")
                reasons.append(reason)
        same = [each for each in found if not each.changed]
        near = nearest(self.plan.keys, same or found)
        if reasons:
            return replace(self.answer, reason=reasons[0])
        if not near:
            return replace(self.answer, reason="no execution is stored")
        reason = "no stored result is known to be equal" if same else "no result has these inputs"
        return replace(self.answer, reason=reason, operator=self._difference(near[0]))

    def _by_key(self, one: Candidate) -> str:
        """Return why keys show that a candidate gives the same rows; empty if they do not."""
        if not self.columns and one.sink.key != self.plan.key:
            return ""
        verdict = by_key((one.sink.keys, self.plan.keys), self.columns)
        return verdict.reason if verdict and verdict.kind.startswith("equal") else ""

    def _hindrance(self, one: Candidate) -> str:
        """Return why the result of a candidate with the same rows cannot be used, as a clause."""
        if one.changed:
            return f"{', '.join(one.changed)} changed since {one.execution.revision} was executed"
        return one.execution.broken or not_offered(
            self.layout, self.results.get(one.execution.result)
        )

    def _use(self, one: Candidate, reason: str, by: str) -> Reuse:
        execution = one.execution
        return replace(
            self.answer,
            decision="reuse",
            reason=reason,
            by=by,
            path=str(result_path(self.layout, execution.result)),
            of=str(execution.revision),
            execution=execution.execution,
            result=execution.result,
        )

    def _difference(self, one: Candidate) -> str:
        plans = one.sink.plan, self.plan.plan
        return first_difference(plans, (one.sink.keys, self.plan.keys))


def _check_columns(plan: SinkPlan, columns: Sequence[str]) -> None:
    try:
        plan.keys.reader(columns)
    except KeyError as error:
        raise UsageError(
            f"No single column {error.args[0]}",
            "The result lacks it, or has several",
            "Name columns of the result with --columns",
        ) from error
