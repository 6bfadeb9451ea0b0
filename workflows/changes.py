"""The difference between successive revisions: the operators that only one of them has."""

from collections import Counter
from collections.abc import Mapping

from provhouse.equivalence.first_difference import operator_name
from provhouse.equivalence.plan_form import Operator, PlanForm, operators


def changes(before: Mapping[str, PlanForm], after: Mapping[str, PlanForm]) -> tuple[str, ...]:
    """Return a line for each sink, and each operator of a sink, that only one revision has."""
    found = [f"- sink {name}" for name in before if name not in after]
    for name, plan in after.items():
        if name not in before:
            found += [f"+ sink {name}"] if before else []
        elif before[name] != plan:
            found += [f"{line} in {name}" for line in _changed(before[name], plan)]
    return tuple(found)


def _changed(before: PlanForm, after: PlanForm) -> list[str]:
    """Return the operators of either plan that the other lacks, by their keys."""
    old, new = (Counter(_keyed(plan)) for plan in (before, after))
    lines = [f"- {name}" for (name, _), times in (old - new).items() for _ in range(times)]
    lines += [f"+ {name}" for (name, _), times in (new - old).items() for _ in range(times)]
    if not lines and before.names != after.names:
        return ["~ names of columns"]
    return lines or ["~ engine or settings"]


def _keyed(plan: PlanForm) -> list[tuple[str, str]]:
    """Return the name and the expressions of each operator, without the operators below it."""
    return [(operator_name(each), repr(_own(each))) for each in operators(plan.root)]


def _own(operator: Operator) -> tuple[object, ...]:
    return tuple(value for name, value in vars(operator).items() if name != "inputs")
