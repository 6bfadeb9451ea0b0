"""Project the input of each GROUP BY to the columns that it reads, in the order in which it does.

Then the inputs of two groups have the same columns if they only differ in columns that nothing
reads. The rows of the plan stay the same.
"""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ..plan_form import AggregatedRows, ColumnReference, Operator, PlanForm, Project


def with_narrow_groups(plan: PlanForm) -> PlanForm:
    """Return a plan in which each GROUP BY that reads columns has an input with only these."""
    return replace(plan, root=_Narrowing().narrowed(plan.root))


class _Narrowing:
    """The changed operators of one plan, by the ids of the original ones, which the plan keeps."""

    def __init__(self) -> None:
        self._done: dict[int, Operator] = {}

    def narrowed(self, operator: Operator) -> Operator:
        """Return an operator that gives the same rows; an operator that occurs twice stays one."""
        if id(operator) not in self._done:
            below = replace(operator, inputs=tuple(map(self.narrowed, operator.inputs)))
            made = _narrow(below) if isinstance(below, AggregatedRows) else below
            self._done[id(operator)] = made
        return self._done[id(operator)]


def _narrow(groups: AggregatedRows) -> AggregatedRows:
    (below,) = groups.inputs
    read = list(dict.fromkeys([*_places(groups.groups), *_places(groups.functions)]))
    if not read:
        return groups
    columns = tuple(below.columns[at] for at in read)
    project = Project((below,), columns, "", tuple(map(ColumnReference, read)))
    places = {at: number for number, at in enumerate(read)}
    return replace(
        groups,
        inputs=(project,),
        groups=_moved(groups.groups, places),
        functions=_moved(groups.functions, places),
    )


def _places(part: Any) -> Iterator[int]:
    """Yield the positions of the columns that expressions read."""
    if isinstance(part, ColumnReference):
        yield part.position
    elif isinstance(part, tuple):
        for each in part:
            yield from _places(each)
    elif is_dataclass(part):
        for field in fields(part):
            yield from _places(getattr(part, field.name))


def _moved(part: Any, places: dict[int, int]) -> Any:
    """Return expressions that read columns at other positions."""
    if isinstance(part, ColumnReference):
        return ColumnReference(places[part.position])
    if isinstance(part, tuple):
        return tuple(_moved(each, places) for each in part)
    if is_dataclass(part) and not isinstance(part, type):
        changed = {f.name: _moved(getattr(part, f.name), places) for f in fields(part)}
        return replace(part, **changed)
    return part
