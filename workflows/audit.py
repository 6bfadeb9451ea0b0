"""Audits: a result that would be reused is computed nevertheless, and the two are compared.

If they differ, the earlier revision is executed again. If its rows also differ from the stored
result, the result was wrong, and it is withdrawn. Otherwise, the rule by which the two revisions
were considered equal was wrong, and the rule is revoked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds

from provhouse.store.tables.registry import RESULTS
from provhouse.store.warehouse.layout import Layout

from .candidates import Candidate
from .executed import executed_rows, has_rows
from .pinned_inputs import InputPin
from .proofs import Rule, revoked, store_proofs
from .result_files import WITHDRAWN, ResultFile, result_path
from .revision_tables import add_rows
from .revisions import SinkPlan
from .row_digests import row_text


def audit(
    layout: Layout,
    plan: SinkPlan,
    one: Candidate,
    stored: ResultFile,
    pins: Sequence[InputPin],
    columns: Sequence[str],
    rule: Rule,
) -> str:
    """Execute a revision whose result would be reused, and compare the rows.

    Returns a clause with the reason why the result is not reused; empty if the rows are the same.
    Raises BadInput if a revision cannot be executed.
    """
    names = tuple(columns) or stored.columns
    if _same(layout, stored, _executed(plan, pins, stored, names), names):
        return ""
    if reason := withdrawn(layout, one, stored, names):
        return reason
    found = f"an audit has found that the rows differ from those of {one.execution.revision}"
    store_proofs(layout, [revoked(one.sink, plan, rule, found)])
    return f"{found}; the rule {rule} is revoked"


def audit_part(
    layout: Layout,
    plan: SinkPlan,
    used: Mapping[Candidate, ResultFile],
    pins: Sequence[InputPin],
    texts: Sequence[str],
    rule: Rule,
) -> str:
    """Execute a revision whose rows would be computed from stored results, and compare the rows.

    ``texts`` are the queries that compute parts of the rows. Returns and raises as ``audit`` does.
    """
    if has_rows(plan, pins, texts):
        return ""
    for one, stored in used.items():
        if reason := withdrawn(layout, one, stored, stored.columns):
            return reason
    found = f"an audit has found that the rows computed by the rule {rule} differ"
    (first, *_) = used
    store_proofs(layout, [revoked(first.sink, plan, rule, found)])
    return f"{found}; the rule is revoked"


def withdrawn(layout: Layout, one: Candidate, stored: ResultFile, names: Sequence[str]) -> str:
    """Withdraw a stored result whose revision gives other rows; return a clause that says so."""
    if _same(layout, stored, _executed(one.sink, one.execution.inputs, stored, names), names):
        return ""
    add_rows(layout, RESULTS, [asdict(replace(stored, state=WITHDRAWN))])
    return f"an audit has found that the result of {one.execution.revision} was wrong"


def _executed(
    sink: SinkPlan, pins: Sequence[InputPin], stored: ResultFile, names: Sequence[str]
) -> pa.Table:
    """Execute a sink; return the given columns, with the types of a stored result."""
    types = dict(zip(stored.columns, stored.types, strict=True))
    listed = sink.plan.names
    rows = executed_rows(sink, pins, listed, [types.get(name, "VARCHAR") for name in listed])
    return rows.select([*names])


def _same(layout: Layout, stored: ResultFile, rows: pa.Table, names: Sequence[str]) -> bool:
    """Return whether a stored result has the same rows in the given columns, in any order."""
    text = row_text(names, dict(zip(stored.columns, stored.types, strict=True)))
    with duckdb.connect() as con:
        con.register("executed", rows)
        con.register("stored", ds.dataset(str(result_path(layout, stored.result))))
        one, other = (f"select {text} from {each}" for each in ("executed", "stored"))
        differ = f"(({one}) except all ({other})) union all (({other}) except all ({one}))"
        return con.execute(f"select 1 from ({differ}) limit 1").fetchone() is None
