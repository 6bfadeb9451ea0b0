"""The segments of two plans that differ; the operators above them are the same in both plans.

An operator that returns the same rows in each run returns equal rows for equal inputs, whatever it
does. Therefore a proof for the segments is a proof for the plans, and operators that the prover
cannot model may be outside of the segments.
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
    """Return the pair of inputs that differ, or None if anything else differs."""
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
