"""Keys of a plan: equal keys mean equal rows.

A key is the SHA-256 of a *form*, a string that contains the keys of smaller forms. Each operator
has one form for its rows, and one form for each column; a column counts as a function of the rows.
The form of the rows contains the operators that decide which rows exist: scans, filters, joins,
groups. A projection adds nothing to it, and a reference has the form of its column. Therefore
names, positions and projections do not influence keys. Forms are stored by their keys. Two plans
are equal only if all forms below their keys are equal too, so a hash collision cannot make
different plans equal.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatchmethod

from .known_functions import COMMUTATIVE, COMMUTATIVE_ON_NUMBERS, is_number
from .node_reader import canonical
from .plan_form import (
    AggregatedRows,
    Aggregation,
    Call,
    ColumnReference,
    Constant,
    Except,
    Expression,
    Filter,
    Generate,
    Intersect,
    Join,
    Limit,
    Opaque,
    Operator,
    PlanForm,
    Project,
    Scan,
    Sort,
    SortKey,
    Union,
    Values,
    Window,
    WindowCall,
)

NO_KEY = ""
WITH_COLUMNS = (AggregatedRows, Project, Values, Window, Generate)
"""Operators that have columns which their rows do not determine."""


@dataclass(frozen=True)
class KeyedPlan:
    """The keys of one operator."""

    rows: str
    """The key of the multiset of the operator's rows, without their columns."""
    columns: tuple[str, ...]
    order: tuple[str, ...] = ()
    """The keys of the order of its rows, if an ORDER BY has ordered them."""


@dataclass(frozen=True)
class TableKeys:
    """The keys of a table that a query made: the key of its rows, and of each column by name."""

    rows: str
    columns: Mapping[str, str]


@dataclass
class KnownTables:
    """Tables whose keys are known, by their paths, and the forms behind these keys.

    The forms of all plans whose keys are computed with this object are added to it. The plan of a
    query therefore has the same keys, whether it reads a table or contains the query that made the
    table.
    """

    tables: dict[tuple[str, ...], TableKeys] = field(default_factory=dict)
    forms: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PlanKeys:
    """The keys of a plan, and the forms behind them."""

    whole: str
    rows: str
    columns: tuple[tuple[str, str], ...]
    """The name and the key of each column."""
    order: str
    operators: tuple[str, ...]
    """The key of each operator, in the order of ``plan.operators``."""
    parts: tuple[tuple[str, ...], ...]
    """The keys of each operator: of its rows, of the columns that it makes, and of its order.

    The operators are in the order of ``operators``.
    """
    forms: dict[str, str]
    values: tuple[str, ...]
    """The key of each column's values, regardless of nullability."""

    def reader(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the keys on which a reader of the named columns depends.

        Raises KeyError if a name fits no column or several columns.
        """
        listed = [name for name, _ in self.columns]
        if unclear := [name for name in names if listed.count(name) != 1]:
            raise KeyError(unclear[0])
        return (self.rows, *(dict(self.columns)[name] for name in names))

    def below(self, *keys: str) -> dict[str, str]:
        """Return all forms that are contained in the forms with the given keys."""
        found: dict[str, str] = {}
        waiting = list(keys)
        while waiting:
            if (key := waiting.pop()) in self.forms and key not in found:
                found[key] = self.forms[key]
                waiting += self.forms[key].split('"')
        return found


def plan_keys(plan: PlanForm, known: KnownTables | None = None) -> PlanKeys:
    """Return the keys of a plan.

    The engine, its version and its settings are part of each key. A known table has the keys of the
    query that made it.
    """
    made_by = known or KnownTables()
    forms = _Forms(
        canonical([plan.engine, plan.version, plan.settings]), made_by.forms, made_by.tables
    )
    keyed = forms.of(plan.root)
    order = forms.key("order", keyed.order)
    made = [
        forms.key("result", key, column.type, column.nullable)
        for key, column in zip(keyed.columns, plan.root.columns, strict=True)
    ]
    columns = tuple(zip(plan.names, made, strict=False))  # an opaque plan has names only
    whole = forms.key("plan", keyed.rows, columns, order)
    return PlanKeys(
        whole,
        keyed.rows,
        columns,
        order,
        tuple(forms.listed),
        tuple(forms.parts),
        forms.stored,
        keyed.columns,
    )


@dataclass
class _Forms:
    """The forms of one plan, by their keys."""

    engine: str
    stored: dict[str, str]
    tables: Mapping[tuple[str, ...], TableKeys]
    listed: list[str] = field(default_factory=list)
    parts: list[tuple[str, ...]] = field(default_factory=list)

    def key(self, *parts: object) -> str:
        """Store a form and return its key."""
        form = canonical([self.engine, *parts])
        key = hashlib.sha256(form.encode()).hexdigest()
        self.stored[key] = form
        return key

    def of(self, operator: Operator) -> KeyedPlan:
        """Return the keys of an operator, and append its own keys after those of its inputs."""
        below = [self.of(each) for each in operator.inputs]
        keyed = self.keyed(operator, below)
        own = keyed.columns if isinstance(operator, WITH_COLUMNS) else ()
        self.listed.append(self.key(type(operator).__name__, keyed.rows, own, keyed.order))
        self.parts.append((keyed.rows, *own, *keyed.order))
        return keyed

    @singledispatchmethod
    def keyed(self, operator: Operator, below: list[KeyedPlan]) -> KeyedPlan:
        """Return the keys of an operator, given the keys of its inputs."""
        raise TypeError(type(operator))

    @keyed.register
    def _(self, operator: Scan, below: list[KeyedPlan]) -> KeyedPlan:
        if known := self.tables.get(operator.table):
            read = (known.columns.get(name, NO_KEY) for name in operator.names)
            return KeyedPlan(known.rows, tuple(read))
        rows = self.key("scan", operator.table, *operator.reading)
        columns = [
            self.key("column", rows, name, column.type, column.nullable)
            for name, column in zip(operator.names, operator.columns, strict=True)
        ]
        return KeyedPlan(rows, tuple(columns))

    @keyed.register
    def _(self, operator: Values, below: list[KeyedPlan]) -> KeyedPlan:
        rows = self.key("values", len(operator.rows))
        made = [[self.expression(each, ()) for each in row] for row in operator.rows]
        places = range(len(operator.columns))
        columns = (self.key("listed", rows, [row[at] for row in made]) for at in places)
        return KeyedPlan(rows, tuple(columns))

    @keyed.register
    def _(self, operator: Filter, below: list[KeyedPlan]) -> KeyedPlan:
        (one,) = below
        rows = self.key("filter", one.rows, self.conditions(operator.conditions, one.columns))
        return KeyedPlan(rows, one.columns, one.order)

    @keyed.register
    def _(self, operator: Project, below: list[KeyedPlan]) -> KeyedPlan:
        (one,) = below
        return KeyedPlan(one.rows, self.each(operator.expressions, one.columns), one.order)

    @keyed.register
    def _(self, operator: Join, below: list[KeyedPlan]) -> KeyedPlan:
        left, right = below
        columns = tuple(self.key("left", each) for each in left.columns)
        columns += tuple(self.key("right", each) for each in right.columns)
        conditions = self.conditions(operator.conditions, columns)
        if operator.correlated:  # the first ones have another meaning
            conditions = list(self.each(operator.conditions, columns))
        kind = [operator.kind, operator.correlated]
        rows = self.key("join", kind, left.rows, right.rows, conditions)
        if operator.kind in ("SEMI", "ANTI"):
            return KeyedPlan(rows, columns[: len(left.columns)])
        if operator.kind == "MARK":
            return KeyedPlan(rows, (*columns[: len(left.columns)], self.key("mark", rows)))
        return KeyedPlan(rows, columns)

    @keyed.register
    def _(self, operator: AggregatedRows, below: list[KeyedPlan]) -> KeyedPlan:
        (one,) = below
        groups = self.each(operator.groups, one.columns)
        if len(operator.sets) > 1 and len(set(groups)) < len(groups):  # NULL in different sets
            groups = tuple(self.key("repeated", at, each) for at, each in enumerate(groups))
        sets = sorted(sorted({groups[at] for at in each}) for each in operator.sets)
        rows = self.key("groups", one.rows, sets)
        made = [self.key("group", rows, each) for each in groups]
        made += [self.aggregation(each, rows, one) for each in operator.functions]
        made += [self.key("grouping", rows, [groups[i] for i in at]) for at in operator.grouping]
        return KeyedPlan(rows, tuple(made))

    @keyed.register
    def _(self, operator: Window, below: list[KeyedPlan]) -> KeyedPlan:
        (one,) = below
        made = (self.window(each, one) for each in operator.functions)
        return KeyedPlan(one.rows, (*one.columns, *made))

    @keyed.register
    def _(self, operator: Sort, below: list[KeyedPlan]) -> KeyedPlan:
        (one,) = below
        return KeyedPlan(one.rows, one.columns, tuple(self.order(operator.order, one.columns)))

    @keyed.register
    def _(self, operator: Limit, below: list[KeyedPlan]) -> KeyedPlan:
        (one,) = below
        count = [operator.count, operator.offset]
        return KeyedPlan(
            self.key("limit", one.rows, list(one.order), count), one.columns, one.order
        )

    @keyed.register
    def _(self, operator: Union, below: list[KeyedPlan]) -> KeyedPlan:
        rows = self.key("union", *(each.rows for each in below))
        alike = zip(*(each.columns for each in below), strict=True)
        return KeyedPlan(rows, tuple(self.key("either", *each) for each in alike))

    @keyed.register(Except)
    @keyed.register(Intersect)
    def _(self, operator: Except | Intersect, below: list[KeyedPlan]) -> KeyedPlan:
        left, right = below
        pairs = list(zip(left.columns, right.columns, strict=True))
        kind = type(operator).__name__
        rows = self.key(kind, operator.all, left.rows, right.rows, pairs)
        return KeyedPlan(rows, tuple(self.key("shared", rows, pair) for pair in pairs))

    @keyed.register
    def _(self, operator: Generate, below: list[KeyedPlan]) -> KeyedPlan:
        (one,) = below
        lists = list(self.each(operator.lists, one.columns))
        rows = self.key("generate", one.rows, lists)
        made = (self.key("element", rows, each) for each in lists)
        return KeyedPlan(rows, (*one.columns, *made))

    @keyed.register
    def _(self, operator: Opaque, below: list[KeyedPlan]) -> KeyedPlan:
        return KeyedPlan(self.key("opaque", operator.digest, [each.rows for each in below]), ())

    def each(self, made: Sequence[Expression], columns: Sequence[str]) -> tuple[str, ...]:
        """Return the keys of expressions, given the keys of the columns."""
        return tuple(self.expression(one, columns) for one in made)

    def expression(self, made: Expression | None, columns: Sequence[str]) -> str:
        """Return the key of an expression; a reference has the key of its column."""
        if made is None:
            return NO_KEY
        if isinstance(made, ColumnReference):
            return columns[made.position]
        if isinstance(made, Constant):
            return self.key("constant", made.type, made.value)
        return self.call(made, columns)

    def call(self, made: Call, columns: Sequence[str]) -> str:
        """Return the key of a call, regardless of the order of interchangeable arguments."""
        arguments = list(self.each(made.arguments, columns))
        swaps = made.function in COMMUTATIVE_ON_NUMBERS and is_number(made.type)
        if made.function in COMMUTATIVE or (swaps and _same_types(made)):
            arguments.sort()
        return self.key("call", made.function, made.type, arguments, made.options)

    def conditions(self, made: Sequence[Expression], columns: Sequence[str]) -> list[str]:
        """Return the key of conditions that must all be true, regardless of their order."""
        flat = [each for one in made for each in _conjuncts(one)]
        return sorted(set(self.each(flat, columns)))

    def order(self, keys: Sequence[SortKey], columns: Sequence[str]) -> list[str]:
        """Return the keys of the expressions of an ORDER BY."""
        return [
            self.key("by", self.expression(k.expression, columns), k.descending, k.nulls_first)
            for k in keys
        ]

    def aggregation(self, made: Aggregation, rows: str, below: KeyedPlan) -> str:
        """Return the key of an aggregate of groups with the key ``rows``."""
        call = self.call(made.call, below.columns)
        condition = self.expression(made.condition, below.columns)
        order = self.order(made.order, below.columns)
        return self.key("aggregate", rows, call, made.distinct, condition, order)

    def window(self, made: WindowCall, below: KeyedPlan) -> str:
        """Return the key of a window function."""
        columns = below.columns
        partitions = sorted(set(self.each(made.partitions, columns)))
        bounds = [self.expression(each, columns) for each in made.bounds]
        call, order = self.call(made.call, columns), self.order(made.order, columns)
        rest = [made.frame, bounds, made.distinct, self.expression(made.condition, columns)]
        return self.key("window", below.rows, call, partitions, order, rest)


def _conjuncts(made: Expression) -> list[Expression]:
    if isinstance(made, Call) and made.function == "CONJUNCTION_AND":
        return [each for one in made.arguments for each in _conjuncts(one)]
    return [made]


def _same_types(made: Call) -> bool:
    """Return whether both arguments of an operator have the same type."""
    first, *others = json.loads(dict(made.options)["arguments"])
    return bool(others == [first])
