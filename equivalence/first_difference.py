"""Find the first operator in which two plans differ, and name it for people.

An operator differs if a key of its rows, columns or order influences the result, but does not occur
in the other plan. All operators above a difference differ too, so the first one is reported: it was
changed, added or removed. It was removed if the other plan has fewer differing operators, and none
that corresponds to it.
"""

from collections.abc import Sequence

from .keys import PlanKeys
from .plan_form import AggregatedRows, Column, Operator, PlanForm, Scan, operators

Keyed = Sequence[tuple[Operator, tuple[str, ...]]]
"""The operators of a plan, each with its keys."""


def first_difference(plans: tuple[PlanForm, PlanForm], keys: tuple[PlanKeys, PlanKeys]) -> str:
    """Return the first operator that differs, with its position among its plan's operators.

    If plans differ only in the choice or the names of their columns, return "columns".
    """
    if keys[0].whole == keys[1].whole:
        return ""
    before, after = plans
    if (before.engine, before.version, before.settings) != (
        after.engine, after.version, after.settings,
    ):  # fmt: skip
        return "engine or settings"
    old, new = (
        list(zip(operators(plan.root), each.parts, strict=True))
        for plan, each in zip(plans, keys, strict=True)
    )
    gone, came = _differing(old, *keys), _differing(new, *reversed(keys))
    changed = [*_redefined(old, new), *(_counterparts(old[gone[0]], new) if gone else ())]
    if not changed and len(gone) > len(came) and not _same_kind(old, gone, new, came):
        return f"{_placed(old, gone[0])}, removed"
    places = [*came, *changed]
    return _placed(new, min(places)) if places else "columns"


def operator_name(operator: Operator) -> str:
    """Return the common name of an operator, with the table for a scan."""
    name = type(operator).__name__.lower()
    if isinstance(operator, AggregatedRows):
        name = "aggregate" if operator.functions or len(operator.sets) > 1 else "distinct"
    table = getattr(operator, "table", ())
    return f"{name} of {table[-1]}" if table else name


def _differing(keyed: Keyed, keys: PlanKeys, other: PlanKeys) -> list[int]:
    """Return the positions of operators that have a relevant key which the other plan lacks."""
    own = keys.below(keys.whole).keys() - other.below(other.whole).keys()
    return [at for at, (_, parts) in enumerate(keyed) if own & {*parts}]


def _redefined(old: Keyed, new: Keyed) -> list[int]:
    """Return the positions of scans that read a column with a different type than the old plan."""
    known = {each: column for scan, _ in old for each, column in _scanned(scan)}
    return [
        at
        for at, (scan, _) in enumerate(new)
        if any(known.get(each, column) != column for each, column in _scanned(scan))
    ]


def _scanned(scan: Operator) -> list[tuple[tuple[str, ...], Column]]:
    """Return the columns that a scan reads, by their full names."""
    if not isinstance(scan, Scan):
        return []
    return [((*scan.table, name), c) for name, c in zip(scan.names, scan.columns, strict=True)]


def _counterparts(one: tuple[Operator, tuple[str, ...]], new: Keyed) -> list[int]:
    """Return the positions of operators in ``new`` with the type and the rows key of ``one``."""
    operator, (rows, *_) = one
    return [
        at
        for at, (each, parts) in enumerate(new)
        if type(each) is type(operator) and parts[0] == rows
    ]


def _same_kind(old: Keyed, gone: Sequence[int], new: Keyed, came: Sequence[int]) -> bool:
    """Return whether the first differing operators have the same type, so that one was changed."""
    return bool(came) and type(old[gone[0]][0]) is type(new[came[0]][0])


def _placed(keyed: Keyed, at: int) -> str:
    return f"{operator_name(keyed[at][0])}, operator {at + 1} of {len(keyed)}"
