"""The search for a stored result that is certainly equal: by keys first, then by proofs."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from provhouse.equivalence.first_difference import first_difference
from provhouse.equivalence.verdict import by_key
from provhouse.model.errors import BadInput
from provhouse.store.warehouse.layout import Layout

from .audit import audit, audit_part
from .candidates import Candidate, nearest
from .constraints import broken_constraint
from .containment import contained, stored_rows
from .executions import not_offered, results_of
from .partial import StoredPlan, partial
from .pinned_data import pins_of, scans_of
from .pinned_inputs import InputPin
from .proofs import EQUAL, Rule, StoredProof, prove, stored_proofs
from .result_files import result_path
from .revisions import SinkPlan

MOST_PROOFS = 8
"""The maximum number of pairs of plans that one question compares again."""


@dataclass(frozen=True)
class Reuse:
    """Whether a stored result can be used, and why."""

    revision: str
    sink: str
    decision: Literal["reuse", "filter", "delta", "partial", "build"]
    """The way in which the result is obtained.

    ``reuse``: the stored rows are the result. ``filter``: the query ``sql`` computes the result
    from the stored rows. ``delta``: ``sql`` computes a part of the result, and the query ``delta``
    computes the rest. ``partial``: ``sql`` computes the result from the results ``starts`` and from
    the tables.
    """
    reason: str
    by: str = ""
    """The rule that permits the reuse: ``key``, ``columns`` or ``proof``; ``filter`` for a part."""
    path: str = ""
    """The file of the result."""
    of: str = ""
    """The revision whose execution produced the result."""
    execution: str = ""
    result: str = ""
    sql: str = ""
    """A query in DuckDB's SQL that computes the result, or a part of it, from the file."""
    delta: str = ""
    """A query over the tables for the other rows of the result."""
    nearest: str = ""
    """If no result can be used: the revision with a result that shares the most operators."""
    nearest_sink: str = ""
    operator: str = ""
    """The first operator that differs from the nearest revision."""
    starts: tuple[str, ...] = ()
    """The stored results that ``sql`` reads, each by its revision and its sink."""
    audited: bool = False
    """Whether the revision was executed nevertheless, and the rows were compared."""


class ReuseSearch:
    """The search for a stored result of one plan on pinned inputs, or of some of its columns."""

    def __init__(
        self, layout: Layout, plan: SinkPlan, pins: Sequence[InputPin], columns: tuple[str, ...]
    ) -> None:
        self._layout = layout
        self._plan = plan
        self._pins = pins
        self._columns = columns
        self._read()
        self.new: list[StoredProof] = []
        """The verdicts that the search has found."""

    def _read(self) -> None:
        self._results = results_of(self._layout)
        self._known = stored_proofs(self._layout)

    def answered(self, answer: Reuse, found: Sequence[Candidate], audited: float) -> Reuse:
        """Return the answer, given all executions, the newest first."""
        reasons = []
        for one, rule, verdict in self._equal(found):
            reason = self._hindrance(one, rule)
            checked = not reason and random.random() < audited
            if checked:
                reason = self._audit(one, rule)
            if not reason:
                return replace(self._use(answer, one, rule), reason=verdict, audited=checked)
            reasons.append(reason)
        same = [each for each in found if not each.changed]
        near = nearest(self._plan.keys, same or found)
        if same and (part := self._filtered(answer, near)):
            of = next(each for each in same if each.execution.execution == part.execution)
            given, reason = self._audited(part, [of], "filter", audited)
            if not reason:
                return given
            reasons.append(reason)
        if not near:
            return replace(answer, reason="no execution is stored")
        none = "no stored result is known to be equal" if same else "no result has these inputs"
        plans, keys = (near[0].sink.plan, self._plan.plan), (near[0].sink.keys, self._plan.keys)
        reason = reasons[0] if reasons else none
        built = replace(
            answer,
            reason=reason,
            nearest=str(near[0].execution.revision),
            nearest_sink=near[0].execution.sink,
            operator=first_difference(plans, keys),
        )
        return self._started(built, same, audited)

    def _started(self, built: Reuse, same: Sequence[Candidate], audited: float) -> Reuse:
        """Return the answer if parts of the query are stored results, or ``built`` otherwise."""
        known = {
            StoredPlan(f"{one.execution.revision} {one.execution.sink}", one.sink, stored, str(
                result_path(self._layout, stored.result))): one
            for one in same if (stored := self._results.get(one.execution.result))
        }  # fmt: skip
        found = partial(self._plan, [*known], lambda each: not self._hindrance(known[each], "key"))
        if self._columns or found is None or "partial" in self._known.revoked:
            return built
        starts = tuple(each.name for each in found.starts)
        reason = f"the query can start at {', '.join(starts)}"
        part = replace(built, decision="partial", reason=reason, sql=found.sql, starts=starts)
        used = [known[each] for each in found.starts]
        checked, reason = self._audited(part, used, "partial", audited)
        return replace(built, reason=reason) if reason else checked

    def _audited(
        self, part: Reuse, used: Sequence[Candidate], rule: Rule, audited: float
    ) -> tuple[Reuse, str]:
        """Return an answer, audited or not, and a clause with the reason why it is wrong."""
        if random.random() >= audited:
            return part, ""
        stored = {each: self._results[each.execution.result] for each in used}
        texts = [text for text in (part.sql, part.delta) if text]
        try:
            reason = audit_part(self._layout, self._plan, stored, self._pins, texts, rule)
        except BadInput as error:
            return part, f"an audit is not possible: {error.wanted}"
        self._read()
        return replace(part, audited=True), reason

    def _filtered(self, answer: Reuse, near: Sequence[Candidate]) -> Reuse | None:
        """Return the answer, or None unless a stored result contains all or part of the result."""
        if self._columns:
            return None
        parted = None
        for one in near[:MOST_PROOFS]:
            stored = self._results.get(one.execution.result)
            if stored is None or self._hindrance(one, "filter"):
                continue
            path = str(result_path(self._layout, stored.result))
            found = contained(self._plan, one.sink, stored_rows(stored, path))
            if found is None:
                continue
            reason = f"the rows are among those of {one.execution.revision}"
            used = replace(self._use(answer, one, "filter"), reason=reason, sql=found.sql)
            if not found.delta:
                return replace(used, decision="filter")
            reason = f"{one.execution.revision} has a part of the rows"
            parted = parted or replace(used, decision="delta", reason=reason, delta=found.delta)
        return parted

    def _equal(self, found: Sequence[Candidate]) -> Iterator[tuple[Candidate, Rule, str]]:
        """Yield executions that certainly have equal rows for equal inputs, and the reasons."""
        same = [each for each in found if not each.changed]
        rule: Rule = "columns" if self._columns else "key"
        for one in (*same, *(each for each in found if each.changed)):
            if reason := self._by_key(one):
                yield one, rule, reason
        left = MOST_PROOFS
        for near in nearest(self._plan.keys, same):
            proof = self._known.verdicts.get(frozenset((near.sink.key, self._plan.key)))
            if proof is None and left and near.sink.key != self._plan.key:
                left -= 1
                proof = prove(near.sink, self._plan)
                self.new.append(proof)
            if proof and proof.verdict == EQUAL:
                for one in same:
                    if one.sink.key == near.sink.key:
                        yield one, "proof", proof.reason

    def _by_key(self, one: Candidate) -> str:
        """Return why keys show that an execution returns the same rows; empty if they do not."""
        if not self._columns and one.sink.key != self._plan.key:
            return ""
        if not set(self._columns) <= set(one.sink.plan.names):
            return ""
        found = by_key((one.sink.keys, self._plan.keys), self._columns)
        return found.reason if found and found.kind.startswith("equal") else ""

    def _hindrance(self, one: Candidate, rule: Rule) -> str:
        """Return a clause that states why a result with equal rows cannot be used."""
        if one.changed:
            return f"{', '.join(one.changed)} changed since {one.execution.revision} was executed"
        if rule in self._known.revoked:
            return f"an audit has revoked the rule {rule}"
        reason = one.execution.broken or self._broken(one)
        return reason or not_offered(self._layout, self._results.get(one.execution.result))

    def _broken(self, one: Candidate) -> str:
        """Return why the plan's constraints cannot be relied on, unless the execution checked them.

        A proof may use constraints between tables of both plans.
        """
        mine, read = scans_of(self._plan.plan), scans_of(one.sink.plan)
        if mine.keys() <= read.keys() and one.sink.ddl == self._plan.ddl:
            return ""
        pins = {**pins_of(read, one.execution.inputs), **pins_of(mine, self._pins)}
        return broken_constraint(self._plan.ddl, pins) if self._plan.source == "sql" else ""

    def _audit(self, one: Candidate, rule: Rule) -> str:
        stored = self._results[one.execution.result]
        try:
            reason = audit(self._layout, self._plan, one, stored, self._pins, self._columns, rule)
        except BadInput as error:
            return f"an audit is not possible: {error.wanted}"
        self._read()  # the audit may have withdrawn a result or revoked a rule
        return reason

    def _use(self, answer: Reuse, one: Candidate, rule: Rule) -> Reuse:
        execution = one.execution
        return replace(
            answer,
            decision="reuse",
            by=rule,
            path=str(result_path(self._layout, execution.result)),
            of=str(execution.revision),
            execution=execution.execution,
            result=execution.result,
        )
