"""Replace the equal parts of two plans by tables, so that a proof need not look inside of them.

A part is a subquery with groups or window functions, or a join whose rows are grouped. Two parts
are equal if their keys are equal, or if a proof shows it. If the plans are equal for all contents
of such tables, they are equal for the rows of the parts.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from ..keys import plan_keys
from ..plan_form import (
    AggregatedRows,
    Filter,
    Join,
    Limit,
    Operator,
    PlanForm,
    Project,
    Scan,
    Sort,
    Union,
    Window,
    operators,
)
from ..variation import unique_keys
from .narrow_groups import with_narrow_groups
from .schema import PART, Schema, TableSchema

TRIED = 24
"""The maximum number of pairs of parts that are compared by a proof."""


class Replaced(NamedTuple):
    """Two plans whose equal parts are tables, and the schema with these tables."""

    first: PlanForm
    second: PlanForm
    schema: Schema


Prove = Callable[[Replaced], bool]


def with_equal_parts(
    first: PlanForm, second: PlanForm, schema: Schema, prove: Prove
) -> Replaced | None:
    """Return the plans with tables in place of their equal parts, or None if there are none."""
    plans = with_narrow_groups(first), with_narrow_groups(second)
    found = _EqualParts(*plans, schema, prove)
    return found.replaced(*(each.root for each in plans)) if found.first_of else None


class _EqualParts:
    """The parts of two plans, by their keys."""

    def __init__(self, first: PlanForm, second: PlanForm, schema: Schema, prove: Prove) -> None:
        self._plan, self._prove, self._left = first, prove, TRIED
        self._tables = dict(schema.tables)
        self._keys: dict[int, str] = {}
        """The key of each part, by its id."""
        self._plans = first, second  # so that no other objects get the ids of the parts
        self._parts = self._parts_of(first), self._parts_of(second)
        self.first_of: dict[str, str] = {}
        """For the key of a part of either plan, the key of the equal part of the first plan."""
        ours, theirs = self._parts
        for key in ours.keys() & theirs.keys():
            self._add(key, key)
        for key, part in theirs.items():
            if key not in ours and (equal := self._proved(part)):
                self._add(key, equal)

    def _parts_of(self, plan: PlanForm) -> dict[str, Operator]:
        """Return the smallest part with each key in a plan; smaller ones come first."""
        found: dict[str, Operator] = {}
        for each in sorted(_parts(plan.root), key=_size):
            key = self._keys[id(each)] = plan_keys(self._plan_of(each)).whole
            found.setdefault(key, each)
        return found

    def _plan_of(self, part: Operator) -> PlanForm:
        return replace(self._plan, names=_names(part), root=part)

    def _add(self, key: str, equal: str) -> None:
        self.first_of |= {key: equal, equal: equal}
        self._tables[PART, equal] = _table(self._parts[0][equal])

    def _proved(self, part: Operator) -> str | None:
        """Return the key of a part of the first plan that a proof shows to be equal, or None.

        In a proof for two parts, smaller parts are already replaced.
        """
        parts = sorted(self._parts[0].items(), key=lambda pair: abs(_size(pair[1]) - _size(part)))
        for key, each in parts:
            made = self.replaced(each, part)
            if _shape(made.first.root) != _shape(made.second.root):
                continue
            self._left -= 1
            if self._left < 0:
                return None
            if self._prove(made):
                return key
        return None

    def replaced(self, first: Operator, second: Operator) -> Replaced:
        """Return plans of two operators, with tables in place of the largest equal parts below."""
        one, other = (self._plan_of(self._without_parts(each)) for each in (first, second))
        return Replaced(one, other, Schema(self._tables))

    def _without_parts(self, operator: Operator) -> Operator:
        return replace(operator, inputs=tuple(map(self._input, operator.inputs)))

    def _input(self, operator: Operator) -> Operator:
        if key := self.first_of.get(self._keys.get(id(operator), "")):
            part = self._parts[0][key]
            return Scan((), part.columns, "", (PART, key), _names(part), ())
        return self._without_parts(operator)


def _parts(root: Operator) -> Iterator[Operator]:
    """Yield the operators below the root that it is worthwhile to replace."""
    for above in operators(root):
        for each in above.inputs:
            inside = _is_grouped(each) or (isinstance(above, AggregatedRows) and _is_join(each))
            if inside and each.columns:
                yield each


def _is_grouped(operator: Operator) -> bool:
    """Return whether an operator is a subquery with groups or windows, whose rows have no order."""
    top = operator
    while isinstance(top, Project | Filter | Limit):  # these keep the order
        (top,) = top.inputs
    if isinstance(top, Sort) or not isinstance(operator, Project | Union | AggregatedRows):
        return False
    return any(isinstance(each, AggregatedRows | Window) for each in operators(operator))


def _is_join(operator: Operator) -> bool:
    return any(isinstance(each, Join) for each in operators(operator))


def _size(part: Operator) -> int:
    return len(operators(part))


def _shape(part: Operator) -> tuple[list[str], set[tuple[str, ...]]]:
    """Return the types of a part's columns, and the tables that it reads."""
    tables = {each.table for each in operators(part) if isinstance(each, Scan)}
    return [each.type for each in part.columns], tables


def _names(part: Operator) -> tuple[str, ...]:
    return tuple(f"c{at}" for at in range(len(part.columns)))


def _table(part: Operator) -> TableSchema:
    """Return what is known about the rows of a part."""
    names = _names(part)
    columns = tuple((name, each.type) for name, each in zip(names, part.columns, strict=True))
    given = zip(names, part.columns, strict=True)
    not_null = frozenset(name for name, each in given if not each.nullable)
    keys = tuple(tuple(names[at] for at in sorted(key)) for key in _keys(part) if key)
    return TableSchema(columns, not_null, keys, ())


def _keys(part: Operator) -> list[frozenset[int]]:
    """Return the keys of a part that follow from its groups, and from no constraint of a table."""
    top = part
    while isinstance(top, Project | Filter | Limit | Window):
        (top,) = top.inputs
    return unique_keys(part) if isinstance(top, AggregatedRows) else []
