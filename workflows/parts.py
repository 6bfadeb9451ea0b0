"""Divide a plan into conditions and columns over a base: a scan, a join or groups.

Conditions on grouping columns are moved above the groups, even if the query has them in WHERE,
since they hold either for all rows of a group or for none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from provhouse.equivalence.keys import PlanKeys, plan_keys
from provhouse.equivalence.plan_form import (
    AggregatedRows,
    Call,
    ColumnReference,
    Expression,
    Filter,
    Operator,
    PlanForm,
    Project,
)


class NotContained(Exception):
    """Raised if a stored result does not, or not certainly, contain the required one."""


@dataclass(frozen=True)
class Parts:
    """A plan as conditions and columns over a base."""

    base: Operator
    conditions: tuple[Expression, ...]
    columns: tuple[Expression, ...]

    def at(self, places: Sequence[Expression], base: Operator) -> "Parts":
        """Return the same parts over another, equal base.

        ``places`` are the columns of this base, as expressions over the other one.
        """
        return Parts(
            base,
            tuple(inlined(each, places) for each in self.conditions),
            tuple(inlined(each, places) for each in self.columns),
        )


def parts_of(root: Operator) -> Parts:
    """Divide a plan into its base, conditions and columns."""
    if isinstance(root, Project):
        below = parts_of(root.inputs[0])
        return replace(below, columns=tuple(inlined(e, below.columns) for e in root.expressions))
    if isinstance(root, Filter):
        below = parts_of(root.inputs[0])
        found = [inlined(each, below.columns) for each in root.conditions]
        conditions = [one for each in found for one in conjuncts(each)]
        return replace(below, conditions=(*below.conditions, *conditions))
    base, lifted = root, list[Expression]()
    if isinstance(root, AggregatedRows) and _is_plain(root):
        below_groups, lifted = _lifted(root.inputs[0], root.groups)
        base = replace(root, inputs=(below_groups,))
    return Parts(base, tuple(lifted), tuple(map(ColumnReference, range(len(root.columns)))))


def same_base(plan: PlanForm, one: Parts, in_plan: PlanForm, other: Parts) -> list[Expression]:
    """Return, for each column of the first base, the equal column of the second.

    Raises NotContained if the bases do not have the same rows.
    """
    keys = [_base_keys(plan, one.base), _base_keys(in_plan, other.base)]
    if keys[0].rows != keys[1].rows or keys[0].below(keys[0].rows) != keys[1].below(keys[1].rows):
        raise NotContained
    known = {key: at for at, (_, key) in enumerate(keys[1].columns)}
    return [ColumnReference(known.get(key, -1)) for _, key in keys[0].columns]


def inlined(made: Expression, columns: Sequence[Expression]) -> Expression:
    """Replace the column references in an expression by ``columns``."""
    if isinstance(made, ColumnReference):
        found = columns[made.position]
        if found == ColumnReference(-1):
            raise NotContained
        return found
    if isinstance(made, Call):
        return replace(made, arguments=tuple(inlined(each, columns) for each in made.arguments))
    return made


def over(made: Expression, columns: Sequence[Expression]) -> Expression:
    """Rewrite an expression to read a result's ``columns``, which are expressions themselves."""
    if made in columns:
        return ColumnReference(columns.index(made))
    if isinstance(made, ColumnReference):
        raise NotContained
    if isinstance(made, Call):
        return replace(made, arguments=tuple(over(each, columns) for each in made.arguments))
    return made


def conjuncts(made: Expression) -> list[Expression]:
    """Return the conditions that an AND joins."""
    if isinstance(made, Call) and made.function == "CONJUNCTION_AND":
        return [each for one in made.arguments for each in conjuncts(one)]
    return [made]


def _base_keys(plan: PlanForm, base: Operator) -> PlanKeys:
    names = tuple(f"c{at}" for at in range(len(base.columns)))
    return plan_keys(replace(plan, root=base, names=names))


def _is_plain(root: AggregatedRows) -> bool:
    """Return whether there is exactly one row for each nonempty group."""
    return bool(root.groups) and root.sets == (tuple(range(len(root.groups))),)


def _lifted(below: Operator, groups: Sequence[Expression]) -> tuple[Operator, list[Expression]]:
    """Return the input of groups without conditions on grouping columns, and these conditions."""
    if isinstance(below, Project):
        inner = [inlined(each, below.expressions) for each in groups]
        rows, found = _lifted(below.inputs[0], inner)
        return replace(below, inputs=(rows,)), found
    if not isinstance(below, Filter):
        return below, []
    rows, found = _lifted(below.inputs[0], groups)
    left = list[Expression]()
    for each in (one for condition in below.conditions for one in conjuncts(condition)):
        try:
            found.append(over(each, groups))
        except NotContained:
            left.append(each)
    return (replace(below, inputs=(rows,), conditions=tuple(left)) if left else rows), found
