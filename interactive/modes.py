"""The choice of when lineage is captured, and its explanation."""

from provhouse.model.errors import UsageError

from .links import Chain
from .plan import Plan
from .want import Mode, Want

WHEN = {
    "inject": "the query lists the rids of each group",
    "defer": "indexed right after the query",
    "witness": "found by a witness query when asked for",
}


def chosen(plan: Plan, refs: frozenset[int], want: Want, mode: Mode | None) -> Mode:
    """Return the mode for a query.

    Without a declared need, lineage is found when it is asked for, which costs the query nothing.
    Declared references are listed by a GROUP BY (inject), unless LIMIT leaves few of its rows:
    then looking up only those is cheaper (defer). Raises UsageError if ``inject`` is forced and
    cannot be done.
    """
    if mode == "inject" and plan.injected(refs) is None:
        raise UsageError(
            "The lineage of this query cannot be injected",
            "Only a GROUP BY over joined tables can list rids, each table read once",
            "Leave out the mode, or use defer",
        )
    if mode is not None or want.refs is None:
        return mode or "witness"
    if plan.limited or plan.injected(refs) is None:
        return "defer"
    return "inject"


def explained(mode: Mode, plan: Plan, chains: dict[int, list[Chain]], refs: frozenset[int]) -> str:
    """Return a line for each reference."""
    lines = []
    for at, reference in enumerate(plan.references):
        if at in plan.negative:
            lines.append(f"{reference.name}: negative, rows appear because it has no match")
        elif at in chains:
            size = sum(chain.size for chain in chains[at])
            steps = max((len(chain.links) for chain in chains[at]), default=0)
            when = WHEN[mode] if mode != "witness" and at in refs else "indexed when asked for"
            lines.append(f"{reference.name}: {when}; {size:,} bytes, {steps} steps")
        else:
            lines.append(f"{reference.name}: {WHEN['witness']}")
    return "\n".join(lines)
