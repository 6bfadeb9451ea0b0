"""The segment of two plans around what differs: the operators above it are the same in both.

An operator that gives the same rows in each run gives equal rows for equal inputs, whatever it
does. So a proof of the segments is a proof of the plans, and operators that the prover has no model
of may stay outside.
"""

from dataclasses import replace

from .plan_form import Operator, PlanForm


def smallest_segments(one: PlanForm, other: PlanForm) -> tuple[PlanForm, PlanForm]:
    """Return both plans without the operators above the highest difference."""
    first, second = one.root, other.root
    while below := _below(first, second):
        first, second = below
    return _plan(one, first), _plan(other, second)


def _below(one: Operator, other: Operator) -> tuple[Operator, Operator] | None:
    """Return the inputs that differ, if nothing else does."""
    if type(one) is not type(other) or len(one.inputs) != len(other.inputs):
        return None
    if one != replace(other, inputs=one.inputs):
        return None
    pairs = [pair for pair in zip(one.inputs, other.inputs, strict=True) if pair[0] != pair[1]]
    if len(pairs) != 1 or pairs[0][0].columns != pairs[0][1].columns:
        return None
    return pairs[0]


def _plan(plan: PlanForm, root: Operator) -> PlanForm:
    names = tuple(f"c{at}" for at in range(len(root.columns)))
    return replace(plan, names=names, root=root)
