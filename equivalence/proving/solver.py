"""Decide whether a formula follows from another: by syntax, otherwise by z3 with a step budget.

A node over terms is an uninterpreted function of its free symbols, so nodes with equal terms are
equal if their symbols are equal.
"""

from typing import Any

import z3

from .formula import (
    COMMUTED,
    FALSE,
    TRUE,
    Formula,
    OutOfSteps,
    conjuncts,
    eq,
    le,
    not_,
    number,
    parts,
    symbol,
)
from .terms import counted, is_count, substitute


class Solver:
    """A z3 solver for one proof. ``steps`` counts z3's own resource units, not time."""

    def __init__(self, budget: int) -> None:
        self._budget, self.steps, self.calls = budget, 0, 0
        self._solver = z3.SimpleSolver()
        self._solver.check()
        self._start = self._total()
        self._known: dict[tuple[Formula, Formula], bool] = {}
        self._expressions: dict[Formula, Any] = {}
        self._functions: dict[tuple[Any, ...], Any] = {}
        self._equalities: dict[Formula, Equalities] = {}

    def proves(self, hypothesis: Formula, goal: Formula) -> bool:
        """Return whether the goal is true whenever the hypothesis is true. Raises OutOfSteps."""
        if goal is TRUE or hypothesis is FALSE or goal in conjuncts(hypothesis):
            return True
        key = hypothesis, goal
        if key not in self._known:
            self._known[key] = self.follows(hypothesis, goal) or self._refutes(hypothesis, goal)
        return self._known[key]

    def follows(self, hypothesis: Formula, goal: Formula) -> bool:
        """Return whether a goal follows by replacing equal symbols, without z3."""
        if hypothesis not in self._equalities:
            self._equalities[hypothesis] = Equalities(hypothesis)
        return self._equalities[hypothesis].follows(goal)

    def _refutes(self, hypothesis: Formula, goal: Formula) -> bool:
        claims = [*conjuncts(hypothesis), not_(goal)]
        self._solver.push()
        seen: set[Formula] = set()
        for each in claims:
            self._solver.add(self._expression(each))
            for fact in self._all_facts(each, seen):
                self._solver.add(self._expression(fact))
        left = self._budget - self.steps
        if left <= 0:
            raise OutOfSteps
        self._solver.set("rlimit", left)
        found = self._solver.check()
        self.calls += 1
        self._count()
        self._solver.pop()
        if found == z3.unknown:
            raise OutOfSteps
        return bool(found == z3.unsat)

    def _count(self) -> None:
        """Update the number of steps; z3 counts the steps of its entire process."""
        self.steps = self._total() - self._start

    def _total(self) -> int:
        return int(self._solver.statistics().get_key_value("rlimit count"))

    def _all_facts(self, one: Formula, seen: set[Formula]) -> list[Formula]:
        """Return facts that are always true for the counts in a formula."""
        found: list[Formula] = []
        waiting = [one]
        while waiting:
            each = waiting.pop()
            if each in seen:
                continue
            seen.add(each)
            waiting += parts(each)
            if is_count(each):
                positive = not_(le(each, number(0, "int")))
                found += [le(number(0, "int"), each), eq(positive, counted(each))]
        return found

    def _expression(self, one: Formula) -> Any:
        made = self._expressions.get(one)
        if made is None:
            made = self._expressions[one] = self._made(one)
        return made

    def _made(self, one: Formula) -> Any:
        kind, given = one.operator, one.arguments
        if kind in ("true", "false"):
            return z3.BoolVal(kind == "true")
        if kind == "symbol":
            return z3.Const(given[0], _sort(one))
        if kind == "number":
            value = given[0]
            return z3.IntVal(int(value)) if one.sort == "int" else z3.RealVal(str(value))
        if kind == "sum":
            return self._sum(one)
        if kind == "call":
            return self._call(one)
        if kind in ("exists", "aggregate"):
            return self._over_terms(one)
        return _MADE[kind](*map(self._expression, given))

    def _call(self, one: Formula) -> Any:
        name, *given = one.arguments
        made = self._function(("call", name, one.sort), given, one)
        if not name.startswith(COMMUTED):
            return made
        left, right = map(self._expression, given)
        turned = self._function(("call", name, one.sort), given[::-1], one)
        return z3.If(left <= right, made, turned)

    def _sum(self, one: Formula) -> Any:
        made = []
        for product, factor in one.arguments[0]:
            coefficient = self._expression(number(factor, one.sort))
            if not product:
                made.append(coefficient)
                continue
            value = self._expression(product[0])
            for each in product[1:]:
                value = self._product(value, self._expression(each), one)
            made.append(value if factor == 1 else coefficient * value)
        return made[0] if len(made) == 1 else z3.Sum(*made)

    def _product(self, left: Any, right: Any, one: Formula) -> Any:
        """Return a product as an uninterpreted function."""
        sort = _sort(one)
        key = ("product", one.sort)
        if key not in self._functions:
            self._functions[key] = z3.Function(f"product {one.sort}", sort, sort, sort)
        return self._functions[key](left, right)

    def _over_terms(self, one: Formula) -> Any:
        """Return a node as a function of its free symbols, in their order of first use."""
        free = _in_order(one)
        pattern = substitute(
            one, {each: symbol(f"?{at}", each.sort) for at, each in enumerate(free)}
        )
        return self._function(("node", pattern), free, one)

    def _function(self, key: tuple[Any, ...], arguments: Any, one: Formula) -> Any:
        sorts = tuple(each.sort for each in arguments)
        whole = (*key, sorts)
        if whole not in self._functions:
            domain = [_sort(each) for each in arguments]
            name = f"f{len(self._functions)}"
            self._functions[whole] = z3.Function(name, *domain, _sort(one))
        function = self._functions[whole]
        return function(*map(self._expression, arguments)) if arguments else function()


def _in_order(one: Formula) -> list[Formula]:
    """Return the free symbols of a node in their order of first use."""
    found: dict[Formula, None] = {}

    def visit(each: Formula) -> None:
        if not each.symbols & one.symbols - found.keys():
            return
        if each.operator == "symbol":
            found[each] = None
        if each.operator in ("exists", "aggregate"):
            for inner in each.arguments:
                if isinstance(inner, Formula):
                    visit(inner)
            for term in each.arguments[-1]:
                for atom in term.atoms:
                    for body in atom.bodies:
                        for inner in body:
                            visit_term(inner)
                visit_term(term)
        for inner in parts(each):
            visit(inner)

    def visit_term(term: Any) -> None:
        visit(term.condition)
        for null, value in term.outputs:
            visit(null)
            visit(value)

    visit(one)
    return [each for each in found if each in one.symbols]


def _sort(one: Formula) -> Any:
    return {"bool": z3.BoolSort, "int": z3.IntSort, "real": z3.RealSort}[one.sort]()


_MADE = {
    "not": z3.Not,
    "and": z3.And,
    "or": z3.Or,
    "ite": z3.If,
    "eq": lambda left, right: left == right,
    "le": lambda left, right: left <= right,
    "to_real": z3.ToReal,
}


class Equalities:
    """The symbols that a hypothesis equates, and its conditions on one symbol of each class."""

    def __init__(self, hypothesis: Formula) -> None:
        self._leaders: dict[Formula, Formula] = {}
        self._contradicts = any(map(self._add, conjuncts(hypothesis)))
        self._mapping = {each: self._leader(each) for each in self._leaders}
        self._known = {substitute(each, self._mapping) for each in conjuncts(hypothesis)}
        self._contradicts = self._contradicts or FALSE in self._known

    def follows(self, goal: Formula) -> bool:
        """Return whether a goal follows by replacing equal symbols."""
        return self._contradicts or all(
            each in self._known for each in conjuncts(substitute(goal, self._mapping))
        )

    def _leader(self, each: Formula) -> Formula:
        while each in self._leaders:
            each = self._leaders[each]
        return each

    def _add(self, each: Formula) -> bool:
        """Add an equality, and return whether it contradicts the others."""
        if each.operator == "eq" and all(
            e.operator in ("symbol", "number") for e in each.arguments
        ):
            first, second = map(self._leader, each.arguments)
            if first is second:
                return False
            if first.operator != "symbol":
                first, second = second, first
            if first.operator != "symbol":
                return True
            self._leaders[first] = second
        elif each.operator == "symbol":
            self._leaders[each] = TRUE
        elif each.operator == "not" and each.arguments[0].operator == "symbol":
            self._leaders[each.arguments[0]] = FALSE
        return False
