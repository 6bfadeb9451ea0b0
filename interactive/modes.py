"""Choose the mode in which a query's lineage is captured, and explain it to the user."""

from typing import TYPE_CHECKING

from provhouse.model.errors import UsageError

from .column_cache import needed
from .compiled.fused import Fused, Grouping
from .index.rid_indexes import Chain
from .planning.every_record import is_one_group
from .planning.plan import Plan
from .planning.want import Mode, Want

if TYPE_CHECKING:
    from .session_state import Session

COMPILED_ROWS = 1 << 17
"""With fewer rows than this, DuckDB finishes before compiled loops would have started."""
FEW_LISTED = 1 << 15
"""Listing up to this many rids takes less time than starting a second query."""
LISTED_SHARE = 1 / 8
"""Listing the rids of more than this share of all rows is slower than running a join twice."""
WHEN = {
    "compiled": "compiled loops aggregate and capture in one pass",
    "inject": "the query lists the rids of each group",
    "defer": "indexed right after the query",
    "witness": "found by a witness query when asked for",
}


def compiled(con: "Session", plan: Plan, want: Want, mode: Mode | None) -> Fused | None:
    """Return the query for compiled loops, or None if another mode is to run it.

    Compiled loops run a query whose columns are decoded. If ``want`` declares needs, columns are
    decoded as soon as queries of these columns have cost as much as decoding them. DuckDB runs
    aggregates without GROUP BY keys, since it can skip more of the table. Without declared needs,
    it also runs queries of small tables. If compiled loops took longer for a query than another
    mode, they are not chosen for it again. Raises UsageError if ``compiled`` is forced and the
    loops cannot run the query.
    """
    if mode is not None and mode not in WHEN:
        raise UsageError(f"There is no mode {mode!r}", f"The modes are: {', '.join(WHEN)}")
    declared = want.refs is not None
    if mode == "compiled":
        if (fused := plan.fused(con.duckdb, con.catalog())) is None:
            raise not_compiled("Only a GROUP BY of exact values in one table can run in them")
        return fused
    if mode is not None or not (declared or con.columns.size):
        return None
    fused = plan.fused(con.duckdb, con.catalog())
    if fused is None or not fused.keys:
        return None
    keys = needed(fused)
    if not declared and con.extent(fused.table)[0] < COMPILED_ROWS:
        return None
    if plan.cost("compiled", declared) > plan.least(declared):
        return None
    if con.columns.ready(keys):
        return fused
    return fused if declared and con.columns.pays(keys, con.extent(fused.table)[0]) else None


def located(con: "Session", plan: Plan) -> Grouping | None:
    """Return the grouping of a query if compiled loops are to find each group's records.

    This requires that DuckDB groups many rows, and that the columns are decoded or the runs so far
    have cost as much as decoding them.
    """
    if len(plan.references) != 1 or plan.limited:
        return None  # compiled loops read one table
    rows = con.extent(plan.references[0].table)[0]
    if rows < COMPILED_ROWS:  # before the query is translated, which takes milliseconds
        return None
    found = plan.compiled(con.duckdb, con.catalog())
    if found is None or not found.keys:
        return None
    if plan.grouped_rows(con.duckdb) < max(COMPILED_ROWS, rows * LISTED_SHARE):
        return None
    groups = Grouping(found.table, found.keys, found.filters)
    keys = needed(groups)
    return groups if con.columns.ready(keys) or con.columns.pays(keys, rows) else None


def not_compiled(why: str) -> UsageError:
    """Return the error for a query that compiled loops cannot run."""
    return UsageError(
        "This query cannot run in compiled loops", why, "Leave out the mode, or use inject or defer"
    )


def chosen(con: "Session", plan: Plan, refs: frozenset[int], want: Want, mode: Mode | None) -> Mode:
    """Return the mode for a query.

    Without declared references, lineage is found on request, which costs the query nothing
    (witness). With them, a GROUP BY that groups few of the rows that it reads also lists their rids
    (inject). If it groups many rows, or if LIMIT leaves few groups of one table, a second query is
    cheaper (defer). Raises UsageError if ``inject`` is forced and the rids cannot be listed.
    """
    listed = plan.injected(refs, want.where) if want.refs or mode == "inject" else None
    if mode == "inject" and listed is None:
        raise UsageError(
            "The lineage of this query cannot be injected",
            "Only a GROUP BY of tables that are each read once can list rids; with a condition, "
            "none of them may be in a derived table",
            "Leave out the mode, or use defer",
        )
    if mode is not None or want.refs is None:
        return mode or "witness"
    few = plan.limited and len(plan.references) == 1
    if few or listed is None or is_one_group(plan.identity):
        return "defer"
    every = sum(con.extent(reference.table)[0] for reference in plan.references)
    many = plan.grouped_rows(con.duckdb) * len(refs) > max(FEW_LISTED, every * LISTED_SHARE)
    return "defer" if many else "inject"


def explained(
    mode: Mode, plan: Plan, chains: dict[int, list[Chain]], refs: frozenset[int], want: Want
) -> str:
    """Return a line for each reference, and a line for each clause that chooses among rows."""
    lines = []
    for at, reference in enumerate(plan.references):
        if at in plan.negative:
            lines.append(f"{reference.name}: negative, rows appear because it has no match")
        elif at in chains:
            size = sum(chain.size for chain in chains[at])
            steps = max((len(chain.links) for chain in chains[at]), default=0)
            when = WHEN[mode] if mode != "witness" and at in refs else "indexed when asked for"
            kept = size - sum(chain.resident for chain in chains[at])
            place = f", of which {kept:,} are in files" if kept else ""
            lines.append(f"{reference.name}: {when}; {size:,} bytes{place}, {steps} steps")
        else:
            lines.append(f"{reference.name}: {WHEN['witness']}")
        if want.pushed and at in refs:
            lines[-1] += _pushed(want)
    lines += [f"{each}: rows that it passed over may be in no lineage" for each in plan.choices]
    return "\n".join(lines)


def _pushed(want: Want) -> str:
    found = f"; only records with {want.where} (selection pushed down)" if want.where else ""
    if want.by:
        listed = ", ".join(want.aggregates)
        found += (
            f"; divided by {', '.join(want.by)}, with {listed} of each part (group-by pushed down)"
        )
    return found
