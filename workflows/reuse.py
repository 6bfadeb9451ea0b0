"""Whether a stored result can be used instead of executing a revision.

A result is reused only if it is certainly equal: by equal keys, or by a proof. If a result cannot
be used, the answer is ``build``, with the reason.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from provhouse.equivalence.plan_form import doubts
from provhouse.model.errors import BadInput, NotFound, UsageError
from provhouse.store.warehouse.layout import Layout

from .candidates import candidates, pins_now
from .pinned_inputs import pinned
from .proofs import store_proofs
from .reuse_search import Reuse, ReuseSearch
from .revision_names import revision_name
from .revisions import SinkPlan, find_revision


def reuse(
    layout: Layout,
    name: str,
    sink: str | None = None,
    columns: Sequence[str] = (),
    inputs: Mapping[str, str] | None = None,
    audited: float = 0.0,
    *,
    store: bool = True,
) -> Reuse:
    """Return whether a stored result can be used for a sink of a revision.

    ``inputs`` defaults to the inputs of the workflow's newest execution, in their current state.
    With ``columns``, only these columns of the result must be equal. ``audited`` is the share of
    reuses that are executed nevertheless, to compare the rows. With ``store``, new verdicts are
    stored. Raises NotFound if the revision or the sink is not stored, BadInput if a given input
    cannot be read.
    """
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
    search = ReuseSearch(layout, plan, pins, tuple(columns))
    found = search.answered(answer, candidates(layout, plan, pins), audited)
    if store:
        store_proofs(layout, search.new)
    return found


def _check_columns(plan: SinkPlan, columns: Sequence[str]) -> None:
    try:
        plan.keys.reader(columns)
    except KeyError as error:
        raise UsageError(
            f"No single column {error.args[0]}",
            "The result has no such column, or more than one",
            "Name columns of the result with --columns",
        ) from error
